"""Signs in as an app with Authlib, which knows nothing of this server but its metadata.

    oauth_client.py SITE CLIENT_ID REDIRECT USERNAME PASSWORD

Prints a line for each step.
"""

import html
import re
import sys

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

SITE, CLIENT, REDIRECT, USERNAME, PASSWORD = sys.argv[1:]

metadata = AuthorizationServerMetadata(
    requests.get(f"{SITE}/.well-known/oauth-authorization-server", timeout=60).json()
)
# What Authlib checks besides that all addresses are of https, which a test has not.
for name in [
    "response_types", "response_modes", "grant_types", "scopes", "code_challenge_methods",
    "token_endpoint_auth_methods", "revocation_endpoint_auth_methods",
]:
    getattr(metadata, f"validate_{name}_supported")()
print("metadata of", metadata["issuer"])

app = OAuth2Session(
    CLIENT,
    scope="read list:write",
    redirect_uri=REDIRECT,
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
    revocation_endpoint_auth_method="none",
    token_endpoint=metadata["token_endpoint"],
)
VERIFIER = "v" * 64
address, state = app.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=VERIFIER
)

# The person's browser.
person = requests.Session()


def send(page, **fields):
    """Sends the form that a page shows, and returns what follows."""
    form = re.search(r'<main.*?<form[^>]*action="([^"]*)"(.*?)</form>', page.text, re.DOTALL)
    assert form, page.text
    values = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form[2]))
    values = {name: html.unescape(value) for name, value in values.items()}
    origin = {"Origin": SITE}
    return person.post(SITE + html.unescape(form[1]), {**values, **fields}, headers=origin)


page = person.get(address)
assert "/sign-in?return=" in page.url, page.url
print("signs in first")
page = send(page, username=USERNAME, password=PASSWORD)
assert page.url == address, page.url
print("asks:", html.unescape(re.sub("<[^>]*>", "", re.search("<h1>(.*?)</h1>", page.text)[1])))
page = send(page, decision="allow")
back = html.unescape(re.search(r'http-equiv="refresh" content="0; ?url=([^"]*)"', page.text)[1])

token = app.fetch_token(
    metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=VERIFIER
)
print("token:", token["token_type"], token["expires_in"], token["scope"])
print("me:", app.get(f"{SITE}/api/v1/me").json()["username"])
print("old:", token["refresh_token"] != app.refresh_token(metadata["token_endpoint"])["refresh_token"])
print("me again:", app.get(f"{SITE}/api/v1/me").status_code)
revoked = app.revoke_token(
    metadata["revocation_endpoint"], app.token["refresh_token"], token_type_hint="refresh_token"
)
print("revoked:", revoked.status_code, app.get(f"{SITE}/api/v1/me").status_code)
try:
    app.refresh_token(metadata["token_endpoint"])
except OAuthError as error:
    print("refused:", error.error)
