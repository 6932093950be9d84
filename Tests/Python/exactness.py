"""Checks that no response of fave-server is older than the request for it.

    exactness.py FAVE-SERVER FAVE-ADMIN SECONDS [--calm] [--disable-triggers]

Starts two servers on the database that DATABASE_URL names, which must be empty. While writers change
things through the API, with fave-admin and with psql, readers, some of them signed in, ask both
servers for pages and responses of the API. Each read is compared with what had been acknowledged before
it was sent. Transactions are rolled back or held open, fills are made to wait for a lock in the
middle, and one of the servers is killed again and again.

With --calm the writers pause for up to half a second instead of some milliseconds, so that more responses
come from memory and there are many more reads in the same time.

With --disable-triggers the database tells of no changes, so cached responses must turn out to be stale.
The first one ends it.

Prints what happened as a JSON object.
"""

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

SERVER, ADMIN, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
URL = os.environ["DATABASE_URL"]
READERS, BATCH = 6, 16
PAUSE = 0.5 if "--calm" in sys.argv else 0.01
END = [0.0]


def admin(*arguments):
    return subprocess.run(
        [ADMIN, *arguments], check=True, capture_output=True, text=True
    ).stdout


class Psql:
    """A session in which statements run one after the other."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["psql", "-XqAt", "-v", "ON_ERROR_STOP=0", URL],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )

    def run(self, sql):
        self.process.stdin.write(sql + ";\n\\echo <end>\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) != "<end>":
            lines.append(line)
        return lines

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Server:
    def __init__(self):
        self.start()

    def start(self):
        environment = dict(
            os.environ, PORT="0", LOOPS="2", API_READS_PER_MINUTE="0",
            API_WRITES_PER_MINUTE="0", PAGES_PER_MINUTE="0", LOG_LEVEL="notice",
        )
        process = subprocess.Popen(
            [SERVER], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        for line in process.stderr:
            if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                break
        else:
            sys.exit("the server did not start")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        self.process = process
        self.port = int(found[1])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


class Watch:
    """Something that is written and read. Its number only grows."""

    def __init__(self, paths, number):
        self.paths = paths
        # Finds the number in a body; None if the response has none.
        self.number = number
        self.started = 0
        self.acknowledged = 0

    def write(self, action):
        self.started += 1
        number = self.started
        if action(number):
            self.acknowledged = max(self.acknowledged, number)

    def judge(self, before, status, body):
        found = self.number(body) if status == 200 else None
        return found is not None and found >= before


class Presence(Watch):
    """An account that is disabled when the number is odd, and enabled when it is even."""

    def judge(self, before, status, body):
        if self.started != before:
            return True  # It may be either by now.
        return status == (404 if before % 2 else 200)


def comment(body):
    found = re.search(rb"exactness (\d+)", body)
    return int(found[1]) if found else 0


def main():
    for command in (["migrate"], ["seed-platforms"], ["seed-catalogue"]):
        admin(*command)
    admin("seed-demo", "--users", "300")
    psql = Psql()
    if "--disable-triggers" in sys.argv:
        for command in psql.run(
            "SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname)"
            " FROM pg_trigger WHERE tgname LIKE 'z_note_%'"
            " AND tgrelid::regclass::text IN ('entries', 'users', 'included_by', 'lists')"
        ):
            psql.run(command)
    names = psql.run(
        "SELECT u.username FROM users u JOIN entries e ON e.user_id = u.id"
        " WHERE u.visibility = 'public' GROUP BY 1 HAVING count(*) = 5 ORDER BY 1 LIMIT 9"
    )
    platform, game = (
        psql.run("SELECT platform_id, game_id FROM included_by ORDER BY count DESC LIMIT 1")[0]
    ).split("|")
    base = int(
        psql.run(f"SELECT count FROM included_by WHERE (platform_id, game_id) = ({platform}, {game})")[0]
    )
    free = psql.run(
        "SELECT u.id || ' ' || count(e.id) FROM users u LEFT JOIN entries e ON e.user_id = u.id"
        " WHERE u.visibility <> 'private' AND u.disabled_at IS NULL"
        f" GROUP BY u.id HAVING count(e.id) < 5 AND NOT bool_or(e.game_id = {game}"
        f" AND e.platform_id = {platform}) IS TRUE"
    )
    servers = [Server(), Server()]
    problems = []
    counts = {"reads": 0, "hits": 0, "writes": 0, "kills": 0, "stale": 0}
    lock = threading.Lock()

    def lists(name):
        return [f"/@{name}", f"/api/v1/users/{name}/list", f"/@{name}/feed", f"/@{name}/embed"]

    listed = {name: Watch(lists(name), comment) for name in names[:4]}
    described = {
        name: Watch([f"/@{name}", f"/api/v1/users/{name}"], comment) for name in names[4:7]
    }
    present = {name: Presence([f"/@{name}", f"/api/v1/users/{name}/list"], None) for name in names[7:]}

    def count(body):
        for ranked in json.loads(body)["games"]:
            if ranked["game"]["id"] == int(game):
                return ranked["includedBy"] - base
        return None

    ranked = Watch([f"/api/v1/platforms/{platform}/ranking"], count)
    slug = psql.run(f"SELECT slug FROM platforms WHERE id = {platform}")[0]

    watches = [*listed.values(), *described.values(), *present.values(), ranked]
    everything = [(watch, path) for watch in watches for path in watch.paths]
    pages = [f"/platforms/{slug}--1", "/", f"/games/{game}"]

    def write_through_api(name, watch):
        token = admin("token", "--user", name).strip()
        body = json.loads(
            http_get(servers[0].port, f"/api/v1/users/{name}/list")
        )
        entries = [
            {"gameId": e["game"]["id"], "platformId": e["platform"]["id"]} for e in body["entries"]
        ]

        def put(number):
            entries[0]["comment"] = f"exactness {number}"
            port = random.choice(servers).port
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                connection.request(
                    "PUT", "/api/v1/me/list", json.dumps({"entries": entries}),
                    {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                     "If-Match": "*"},
                )
                response = connection.getresponse()
                response.read()
                connection.close()
            except (OSError, http.client.HTTPException):
                return False  # The server was killed: nobody knows.
            if response.status != 200:
                problems.append(f"PUT: {response.status}")
            return response.status == 200

        put(0)
        while time.monotonic() < END[0]:
            watch.write(put)
            counts["writes"] += 1
            time.sleep(random.random() * PAUSE)

    def write_with_psql():
        session = Psql()
        while time.monotonic() < END[0]:
            name, watch = random.choice(list(described.items()))

            def update(number):
                keeps = random.random() < 0.9
                pause = f"SELECT pg_sleep({random.random() * 0.01});" if random.random() < 0.3 else ""
                lines = session.run(
                    f"BEGIN; UPDATE users SET bio = 'exactness {number}'"
                    f" WHERE username = '{name}'; {pause} {'COMMIT' if keeps else 'ROLLBACK'}"
                )
                if any("ERROR" in line for line in lines):
                    problems.append(str(lines))
                return keeps

            watch.write(update)
            counts["writes"] += 1
            time.sleep(random.random() * PAUSE)
        session.close()

    def include():
        session = Psql()
        for user in free:
            if time.monotonic() >= END[0]:
                break
            identity, entries = user.split(" ")

            def insert(number):
                lines = session.run(
                    "INSERT INTO entries (user_id, position, game_id, platform_id) VALUES"
                    f" ('{identity}', {int(entries) + 1}, {game}, {platform})"
                )
                if any("ERROR" in line for line in lines):
                    problems.append(str(lines))
                    return False
                return True

            ranked.write(insert)
            counts["writes"] += 1
            time.sleep(SECONDS / (len(free) + 1))
        session.close()

    def switch_accounts():
        while time.monotonic() < END[0]:
            for name, watch in present.items():
                watch.write(
                    lambda number: admin("users", "disable" if number % 2 else "enable", name) or True
                )
                counts["writes"] += 1
                time.sleep(random.random() * PAUSE)

    def hold_transactions():
        session = Psql()
        while time.monotonic() < END[0]:
            session.run("BEGIN; SELECT pg_current_xact_id(); SELECT pg_sleep(0.3); ROLLBACK")
        session.close()

    def delay_fills():
        # A ranking's page reads this table last, when it has read what may change meanwhile.
        session = Psql()
        while time.monotonic() < END[0]:
            session.run("BEGIN; LOCK TABLE past_ranks; SELECT pg_sleep(0.02); COMMIT")
            time.sleep(0.05)
        session.close()

    def kill():
        while time.monotonic() < END[0]:
            time.sleep(min(2, SECONDS / 4))
            servers[1].stop(signal.SIGKILL)
            servers[1].start()
            counts["kills"] += 1

    token = admin("token", "--user", names[4]).strip()

    def read(is_signed_in):
        # Responses for people who are signed in share what statements returned.
        fields = f"Authorization: Bearer {token}\r\n" if is_signed_in else ""
        choice = [(w, p) for w, p in everything if not is_signed_in or p.startswith("/api")]
        reads = hits = stale = 0
        while time.monotonic() < END[0]:
            server = random.choice(servers)
            try:
                connection = socket.create_connection(("127.0.0.1", server.port), 20)
                stream = connection.makefile("rb")
                while time.monotonic() < END[0]:
                    wanted = random.choices(choice, k=BATCH)
                    asked = [(w, p, w.acknowledged) for w, p in wanted]
                    # Their fills are the ones that are delayed.
                    others = [random.choice(pages)] if random.random() < 0.1 else []
                    paths = [*(path for _, path, _ in asked), *others]
                    connection.sendall(
                        "".join(
                            f"GET {path} HTTP/1.1\r\nHost: x\r\n{fields}\r\n" for path in paths
                        ).encode()
                    )
                    for watch, path, before in asked:
                        status, hit, body = response(stream)
                        reads += 1
                        hits += hit
                        if status not in (200, 404):
                            problems.append(f"{path}: {status} {body[:200]}")
                        elif not watch.judge(before, status, body):
                            stale += 1
                            if "--disable-triggers" in sys.argv:
                                END[0] = 0  # One is enough.
                            if stale < 4:
                                problems.append(f"{path}: {status}, after {before} was acknowledged")
                    for _ in others:
                        response(stream)
            except (OSError, EOFError, ValueError):
                time.sleep(0.02)  # The server was killed.
        with lock:
            counts["reads"] += reads
            counts["hits"] += hits
            counts["stale"] += stale

    END[0] = time.monotonic() + SECONDS
    bodies = [
        *(lambda n=n, w=w: write_through_api(n, w) for n, w in listed.items()),
        write_with_psql, include, switch_accounts, hold_transactions,
        delay_fills, kill,
        *(lambda n=n: read(is_signed_in=n % 3 == 0) for n in range(READERS)),
    ]
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.stop()
    psql.close()
    counts["problems"] = sorted(set(problems))[:10]
    print(json.dumps(counts))


def http_get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path)
    return connection.getresponse().read()


def response(stream):
    line = stream.readline()
    if not line:
        raise EOFError
    status, length, hit = int(line.split()[1]), 0, False
    while (field := stream.readline()) not in (b"\r\n", b""):
        name, _, value = field.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif name.lower() == b"cache-status":
            hit = b"; hit" in value
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return status, hit, body


main()
