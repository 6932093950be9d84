"""Restarts fave-server under load, holding its sockets as systemd does, and counts failed requests.

    restarts.py PROGRAM RESTARTS [ADMIN MIGRATIONS]

With a fave-admin and a folder of migrations, the database is migrated under load before the first
restart, while the server of before is running, and the servers that start afterwards meet a schema that
is newer than theirs.

One half of the clients makes a connection for each request, the other half keeps theirs until an
response says that it is the last one. A request without a whole response of status 200 has failed.
Prints what happened as a JSON object.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PATHS = ["/platforms", "/api/v1/platforms/48", "/ping"]


def listener(family, address):
    held = socket.socket(family, socket.SOCK_STREAM)
    held.bind(address)
    held.listen(1024)
    return held


class Manager:
    """Holds the sockets, starts and stops the server, and hears what it says."""

    def __init__(self, program, folder):
        self.program = program
        self.unix_path = os.path.join(folder, "server.sock")
        self.sockets = [
            listener(socket.AF_INET, ("127.0.0.1", 0)),
            listener(socket.AF_UNIX, self.unix_path),
        ]
        if socket.has_ipv6:
            try:
                self.sockets.append(listener(socket.AF_INET6, ("::1", 0)))
            except OSError:
                pass  # A machine without IPv6.
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.bind(os.path.join(folder, "notify.sock"))
        self.notifications.settimeout(60)
        self.heard = []

    def start(self):
        sockets = [held.fileno() for held in self.sockets]

        def prepare():
            # Twice, since a number may be one of those that are to be filled.
            copies = [os.dup(number) for number in sockets]
            moved = [os.dup2(copy, 100 + index) for index, copy in enumerate(copies)]
            for index, number in enumerate(moved):
                os.dup2(number, 3 + index)
                os.close(number)

        # The shell knows its own process id, which is the server's in the end.
        environment = dict(
            os.environ,
            LISTEN_FDS=str(len(sockets)),
            NOTIFY_SOCKET=self.notifications.getsockname(),
            WATCHDOG_USEC="200000",
            LOOPS="2",
            # All of the load comes from one address.
            API_READS_PER_MINUTE="0",
            PAGES_PER_MINUTE="0",
        )
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$0"', self.program],
            env=environment,
            preexec_fn=prepare,
            pass_fds=list(range(3, 3 + len(sockets))),
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=self.read_errors, args=[self.process], daemon=True).start()
        self.wait_for("READY=1")

    def read_errors(self, process):
        self.errors = process.stderr.read().decode()

    def wait_for(self, message):
        while True:
            text = self.notifications.recv(4096).decode()
            self.heard += text.split("\n")
            if message in text:
                return

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.wait_for("STOPPING=1")
        if self.process.wait(60) != 0:
            raise SystemExit(f"the server ended badly: {self.errors}")


class Client(threading.Thread):
    def __init__(self, address, keeps, stop):
        super().__init__(daemon=True)
        self.address, self.keeps, self.stop = address, keeps, stop
        self.requests, self.connections, self.failures = 0, 0, []
        self.stream = None

    def run(self):
        while not self.stop.is_set():
            self.requests += 1
            try:
                self.ask(PATHS[self.requests % len(PATHS)])
            except (OSError, ValueError) as error:
                self.failures.append(
                    f"{error!r} of a {'kept' if self.keeps else 'new'} connection to {self.address}")
                self.stream = None

    def ask(self, path):
        if self.stream is None:
            family = socket.AF_UNIX if isinstance(self.address, str) else (
                socket.AF_INET6 if len(self.address) == 4 else socket.AF_INET)
            connected = socket.socket(family, socket.SOCK_STREAM)
            connected.settimeout(60)
            connected.connect(self.address)
            self.stream = connected.makefile("rwb")
            self.connections += 1
            connected.close()
        option = "keep-alive" if self.keeps else "close"
        self.stream.write(
            f"GET {path} HTTP/1.1\r\nHost: fave.example\r\nConnection: {option}\r\n\r\n".encode())
        self.stream.flush()
        line = self.stream.readline()
        if not line.startswith(b"HTTP/1.1 200 "):
            raise ValueError(f"{path}: {line!r}")
        length, is_last = None, False
        while (line := self.stream.readline()) != b"\r\n":
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            if name.lower() == "connection":
                is_last = value.strip() == "close"
        if length is None or len(self.stream.read(length)) != length:
            raise ValueError(f"{path}: cut off")
        if is_last:
            self.stream.close()
            self.stream = None


def main():
    program, restarts = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        manager = Manager(program, folder)
        manager.start()
        stop = threading.Event()
        clients = [
            Client(held.getsockname(), keeps, stop)
            for held in manager.sockets for keeps in (False, True)
        ]
        for client in clients:
            client.start()

        def await_responses():
            """Waits until every client has had responses of this server."""
            before = [client.requests for client in clients]
            while any(client.requests < count + 5 for client, count in zip(clients, before)):
                stop.wait(0.005)

        if len(sys.argv) > 3:
            await_responses()
            subprocess.run([sys.argv[3], "migrate", "--from", sys.argv[4]], check=True)
        for _ in range(restarts):
            await_responses()
            manager.stop()
            manager.start()
        manager.wait_for("WATCHDOG=1")
        stop.set()
        for client in clients:
            client.join(60)
        manager.stop()
        failures = [failure for client in clients for failure in client.failures]
        print(json.dumps({
            "restarts": restarts,
            "sockets": len(manager.sockets),
            "requests": sum(client.requests for client in clients),
            "connections": sum(client.connections for client in clients),
            "failures": len(failures),
            "first": failures[:5],
            "watchdog": manager.heard.count("WATCHDOG=1"),
        }))


main()
