"""What people do who build on the API with generators: makes a client and types from the OpenAPI
document, checks them, and uses the client against a server.

    generated_clients.py DOCUMENT FOLDER URL

Prints each step; ends with status 1 at the first that fails.
"""

import pathlib
import subprocess
import sys


def run(*command: str, cwd: str | None = None) -> None:
    print("$", " ".join(command[1:]), flush=True)
    subprocess.run(command, check=True, cwd=cwd, stdin=subprocess.DEVNULL)


def generate(document: str, folder: str) -> None:
    python = sys.executable
    tools = pathlib.Path(python).parent
    client = f"{folder}/client"
    run(
        f"{tools}/openapi-python-client", "generate", "--path", document, "--output-path", client,
        "--meta", "none", "--overwrite", cwd=folder,
    )
    run(python, "-m", "mypy", "--strict", "--no-incremental", client, cwd=folder)
    models = f"{folder}/models.py"
    run(
        f"{tools}/datamodel-codegen", "--input", document, "--input-file-type", "openapi",
        "--output", models, "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated",
        "--formatters", "builtin",
    )
    # Pyright's checks, from a package that needs no download.
    (pathlib.Path(folder) / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    run(f"{tools}/basedpyright", "--pythonpath", python, models, cwd=folder)


def use(folder: str, url: str) -> None:
    sys.path.insert(0, folder)
    from client import AuthenticatedClient, Client
    from client.api.games import list_games
    from client.api.my_list import get_my_list, replace_my_list
    from client.api.platforms import get_ranking
    from client.api.sessions import refresh, sign_in
    from client.api.users import sign_up
    from client.models import (
        DraftEntry, UserList, GetRankingResponse, ListGamesResponse, OwnUser, Problem, RefreshRequest,
        ReplaceMyListRequest, SignInRequest, SignUpRequest, Tokens,
    )

    stranger = Client(base_url=url)
    key = "0b7e0a52-6a0b-4a53-8d0f-8f4f6f0b0b0b"
    account = SignUpRequest(username="generated", password="tulip staple 42")
    user = sign_up.sync(client=stranger, body=account, idempotency_key=key)
    assert isinstance(user, OwnUser), user
    again = sign_up.sync_detailed(client=stranger, body=account, idempotency_key=key)
    assert again.parsed == user and again.headers["idempotency-replayed"] == "true"
    print("signed up", user.username, "and the same again")

    tokens = sign_in.sync(
        client=stranger, body=SignInRequest(username="generated", password="tulip staple 42"))
    assert isinstance(tokens, Tokens), tokens
    person = AuthenticatedClient(base_url=url, token=tokens.access_token)
    print("signed in for", tokens.expires_in, "s")

    found = list_games.sync(client=stranger, search="portal")
    assert isinstance(found, ListGamesResponse), found
    game = found.games[0]
    platform_id = game.platforms[0].id
    same = [one.id for one in found.games if platform_id in [p.id for p in one.platforms]][:3]
    entries = [DraftEntry(game_id=id, platform_id=platform_id, comment="Still.") for id in same]
    first = get_my_list.sync_detailed(client=person)
    saved = replace_my_list.sync_detailed(
        client=person, body=ReplaceMyListRequest(entries=entries), if_match=first.headers["etag"])
    assert isinstance(saved.parsed, UserList), saved
    print("saved", [entry.game.name for entry in saved.parsed.entries])

    # A list can be sent back as it was read.
    back = ReplaceMyListRequest.from_dict(saved.parsed.to_dict())
    same_list = replace_my_list.sync(client=person, body=back, if_match=saved.headers["etag"])
    assert isinstance(same_list, UserList) and same_list == saved.parsed, same_list
    print("sent back as it was read")

    late = replace_my_list.sync(
        client=person, body=ReplaceMyListRequest(entries=[]), if_match=first.headers["etag"])
    assert isinstance(late, Problem) and late.status == 412, late
    print("refused:", late.kind)
    wrong = replace_my_list.sync(
        client=person, if_match="*",
        body=ReplaceMyListRequest(
            entries=[
                DraftEntry(game_id=2_000_000_000, platform_id=platform_id),
                DraftEntry(game_id=game.id, platform_id=2_000_000_000),
            ]))
    assert isinstance(wrong, Problem) and wrong.errors, wrong
    faults = [(error.pointer, error.kind) for error in wrong.errors]
    assert faults == [
        ("/entries/0/gameId", "unknown-game"), ("/entries/1/platformId", "unknown-platform")
    ], faults
    print("refused:", faults)

    places = 0
    platform = str(platform_id)
    page = get_ranking.sync(platform, client=stranger, limit=1)
    while True:
        assert isinstance(page, GetRankingResponse), page
        places += len(page.games)
        if not isinstance(page.next_cursor, str):
            break
        page = get_ranking.sync(platform, client=stranger, limit=1, cursor=page.next_cursor)
    assert places == len(entries), places
    print("paged through", places, "places of a ranking")

    new = refresh.sync(client=stranger, body=RefreshRequest(refresh_token=tokens.refresh_token))
    assert isinstance(new, Tokens) and new.refresh_token != tokens.refresh_token, new
    print("refreshed")


if __name__ == "__main__":
    document, folder, url = sys.argv[1:]
    generate(document, folder)
    use(folder, url)
