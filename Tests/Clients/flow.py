"""What people do with the client that OpenAPI Generator makes for Python."""

import openapi_client as client
from openapi_client.exceptions import ApiException

# The client knows the address from the document.
stranger = client.ApiClient()
account = client.SignUpRequest(username="pythonista", password="tulip staple 42")
user = client.UsersApi(stranger).sign_up(account)
print("signed up", user.username)

sessions = client.SessionsApi(stranger)
tokens = sessions.sign_in(
    client.SignInRequest(username="pythonista", password="tulip staple 42"))
person = client.ApiClient(client.Configuration(access_token=tokens.access_token))
print("signed in")

found = client.GamesApi(stranger).list_games(search="portal")
platform = found.games[0].platforms[0].id
entries = [
    client.DraftEntry(game_id=game.id, platform_id=platform)
    for game in found.games if platform in [one.id for one in game.platforms]
][:3]

my_list = client.MyListApi(person)
tag = my_list.get_my_list_with_http_info().headers["ETag"]
body = client.ReplaceMyListRequest(entries=entries)
saved = my_list.replace_my_list(tag, body)
assert len(saved.entries) == len(entries), saved
print("saved", len(saved.entries))
try:
    my_list.replace_my_list(tag, body)
    raise AssertionError("saved twice")
except ApiException as error:
    assert error.status == 412 and error.data.kind == "precondition-failed", error
    print("refused:", error.data.kind)

places = 0
cursor = None
while True:
    page = client.PlatformsApi(stranger).get_ranking(str(platform), limit=1, cursor=cursor)
    places += len(page.games)
    cursor = page.next_cursor
    if cursor is None:
        break
assert places >= len(entries), places
print("paged through", places)

renewed = sessions.refresh(client.RefreshRequest(refresh_token=tokens.refresh_token))
assert renewed.refresh_token != tokens.refresh_token
# A value that a later version adds is no error.
client.Problem.from_dict({
    "type": "https://site.example/api/problems/new", "kind": "new", "title": "New", "status": 400,
    "detail": "New.", "instance": "urn:uuid:3a542a42-aaad-4a36-bd47-91a64d36adf1"})
print("refreshed")
