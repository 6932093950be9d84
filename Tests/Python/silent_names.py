"""Runs fave-server where the name server never responds, and asks it for /ping meanwhile.

    unshare --map-root-user --mount --net silent_names.py PROGRAM

A search asks for an address of IGDB, which the resolver then tries to look up for minutes. The server gives
up much earlier, and must go on serving, and end when it is told to. So must a second server, whose database
has a name. Prints what happened as a JSON object.
"""

import fcntl
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request


def get(port, path, timeout):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=timeout) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)


def start(**settings):
    """Starts a server, and returns it with its port once it listens."""
    server = subprocess.Popen(
        [sys.argv[1]],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PORT": "0", "LOOPS": "1", **settings},
    )
    for line in server.stderr:
        if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return server, int(found[1])
    raise RuntimeError("the server did not start")


def end(server):
    """The server's exit status; None if it doesn't end."""
    server.send_signal(signal.SIGTERM)
    try:
        return server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        return None


def main():
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # SIOCSIFFLAGS with IFF_UP: the new namespace's loopback is down.
    fcntl.ioctl(names, 0x8914, struct.pack("16sh", b"lo", 1))
    names.bind(("127.0.0.1", 53))
    with tempfile.TemporaryDirectory() as folder:
        configuration = os.path.join(folder, "resolv.conf")
        with open(configuration, "w") as file:
            file.write("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
        target = os.path.realpath("/etc/resolv.conf")
        subprocess.run(["mount", "--bind", configuration, target], check=True)
        server, port = start(
            IGDB_CLIENT_ID="x", IGDB_CLIENT_SECRET="x", IGDB_URL="https://igdb.example"
        )
        names.settimeout(5)
        for number in range(20):
            # A busy server may serve a search from the catalogue alone, so another one may be needed.
            searched = []
            search = threading.Thread(
                target=lambda: searched.append(get(port, f"/api/v1/games?search=zelda+{number}", 60))
            )
            search.start()
            try:
                asked = names.recv(512)  # The lookup has begun.
                break
            except TimeoutError:
                search.join()
        else:
            raise RuntimeError(f"no search has led to a lookup: {searched}")
        live = []
        while search.is_alive():
            live.append(get(port, "/ping", 5))
            time.sleep(0.1)
        # The transfer has ended by now, in which the server must not have waited for the lookup.
        live += [get(port, "/ping", 5) for _ in range(3)]
        ended = [end(server)]
        server, port = start(DATABASE_URL="host=db.example dbname=x user=x")
        live.append(get(port, "/ping", 5))
        ended.append(end(server))
    print(
        json.dumps(
            {
                "lookedUp": len(asked) > 0,
                "searched": searched[0],
                "live": len(live),
                "failures": [status for status in live if status != 200],
                "ended": ended,
            }
        )
    )


main()
