"""What people do who build on the API with generators: makes a client from the OpenAPI document of a
server, checks it, and uses it against that server.

    generated_clients.py KIND FOLDER URL

KIND is "python-tools", for openapi-python-client and datamodel-code-generator, or a language of OpenAPI
Generator: go, python, rust, swift or typescript. Prints each step; ends with status 1 at the first that
fails.
"""

import importlib.util
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import urllib.request

tools = pathlib.Path(sys.executable).parent
flows = pathlib.Path(__file__).parent.parent / "Clients"


def run(*command: str | pathlib.Path, cwd: str | None = None, **variables: str) -> None:
    words = [str(word) for word in command]
    print("$", pathlib.Path(words[0]).name, *words[1:6], flush=True)
    subprocess.run(
        words, check=True, cwd=cwd, stdin=subprocess.DEVNULL, env=os.environ | variables)


def generate(document: str, folder: str) -> None:
    client = f"{folder}/client"
    run(
        tools / "openapi-python-client", "generate", "--path", document, "--output-path", client,
        "--meta", "none", "--overwrite", cwd=folder,
    )
    run(sys.executable, "-m", "mypy", "--strict", "--no-incremental", client, cwd=folder)
    models = f"{folder}/models.py"
    run(
        tools / "datamodel-codegen", "--input", document, "--input-file-type", "openapi",
        "--output", models, "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated",
        "--formatters", "builtin",
    )
    # A number marks an object whose name a generator has made up.
    made_up = [line for line in pathlib.Path(models).read_text().split("\n")
               if line.endswith("(BaseModel):") and line.split("(")[0][-1].isdigit()]
    assert made_up == [], made_up
    # Pyright's checks, from a package that needs no download.
    (pathlib.Path(folder) / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    run(tools / "basedpyright", "--pythonpath", sys.executable, models, cwd=folder)


# -- OpenAPI Generator ------------------------------------------------------------------------------


def openapi_generator(generator: str, document: str, folder: str, *options: str) -> None:
    package = importlib.util.find_spec("openapi_generator_cli")
    jar = next(pathlib.Path(package.submodule_search_locations[0]).glob("*.jar"))
    command = [
        "java", "-Xmx700m", "-XX:+UseSerialGC", "-jar", str(jar), "generate", "-g", generator, "-i",
        document, "-o", folder, "--global-property",
        "apiDocs=false,modelDocs=false,apiTests=false,modelTests=false", *options,
    ]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    log = result.stdout + result.stderr
    assert result.returncode == 0, log[-3000:]
    bad = [line for line in log.split("\n") if "Empty operationId" in line or "COLLISION" in line]
    assert bad == [], bad
    warnings = [line for line in log.split("\n") if "WARN" in line]
    print(f"openapi-generator {generator}: {len(warnings)} warnings", flush=True)


def python(document: str, folder: str, url: str) -> None:
    openapi_generator("python", document, folder)
    run(sys.executable, "-m", "compileall", "-q", f"{folder}/openapi_client")
    run(sys.executable, flows / "flow.py", cwd=folder, PYTHONPATH=folder)


def go(document: str, folder: str, url: str) -> None:
    module = ["--git-host", "example.org", "--git-user-id", "fave", "--git-repo-id", "client"]
    openapi_generator("go", document, folder, *module)
    os.mkdir(f"{folder}/flow")
    shutil.copy(flows / "flow.go", f"{folder}/flow/main.go")
    run(
        "go", "run", "./flow", cwd=folder, GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local",
        GOCACHE=f"{folder}/cache",
    )


def typescript(document: str, folder: str, url: str) -> None:
    openapi_generator("typescript-fetch", document, folder, "-p", "importFileExtension=.ts")
    shutil.copy(flows / "flow.ts", folder)
    # What TypeScript itself checks by default if it is told to be strict.
    (pathlib.Path(folder) / "deno.json").write_text(
        '{"compilerOptions": {"lib": ["dom", "dom.iterable", "esnext"], "strict": true, '
        '"noImplicitOverride": false}}')
    host = url.removeprefix("http://")
    run(
        tools / "deno", "run", "--check", f"--allow-net={host}", "flow.ts", cwd=folder,
        DENO_DIR=f"{folder}/cache", DENO_NO_UPDATE_CHECK="1", NO_COLOR="1",
    )


def swift(document: str, folder: str, url: str) -> None:
    openapi_generator("swift6", document, folder)
    sources = pathlib.Path(folder).rglob("Sources/**/*.swift")
    run("swiftc", "-typecheck", "-swift-version", "6", *sources)
    print("compiled")


def rust(document: str, folder: str, url: str) -> None:
    openapi_generator("rust", document, folder)
    # Its crates can't be had everywhere, so it is only parsed.
    subprocess.run(
        ["rustfmt", "--edition", "2021", "--emit", "stdout", "--quiet", f"{folder}/src/lib.rs"],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        # Where rustup, if it comes from there, has its settings.
        env=os.environ | {"HOME": pwd.getpwuid(os.getuid()).pw_dir})
    print("parsed")


# -- openapi-python-client --------------------------------------------------------------------------


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


def python_tools(document: str, folder: str, url: str) -> None:
    generate(document, folder)
    use(folder, url)


if __name__ == "__main__":
    kind, folder, url = sys.argv[1:]
    document = f"{folder}/openapi.json"
    urllib.request.urlretrieve(f"{url}/api/v1/openapi.json", document)
    {
        "go": go, "python": python, "python-tools": python_tools, "rust": rust, "swift": swift,
        "typescript": typescript,
    }[kind](document, folder, url)
