"""Two servers of Fave Games, and HAProxy in front of them."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
from pathlib import Path

from databases import Databases, request
from machine import ROOT, Failure, Machine

SERVERS = ["app1", "app2"]


class Site:
    def __init__(self, machine: Machine, databases: Databases, programs: Path, port: int) -> None:
        self.machine, self.databases, self.programs, self.port = machine, databases, programs, port
        self.http_ports = {name: machine.port(8080) for name in SERVERS}
        self.admin_ports = {name: machine.port(9180) for name in SERVERS}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def status_url(self) -> str:
        """HAProxy's page of the servers."""
        return f"http://127.0.0.1:{self.port + 1}"

    def start_server(self, name: str) -> None:
        self.machine.launch(name, [str(self.programs / "fave-server")], {
            "HOST": self.machine.address(name),
            "PORT": str(self.http_ports[name]),
            "DATABASE_URL": self.databases.url(),
            "PUBLIC_URL": self.url,
            "TRUSTED_PROXIES": self.machine.proxy_address(),
            "ADMIN_LISTEN": f"127.0.0.1:{self.admin_ports[name]}",
            "SHUTDOWN_DELAY_SECONDS": "3",
            # The load of a game day comes from one address.
            "API_READS_PER_MINUTE": "0", "API_WRITES_PER_MINUTE": "0", "PAGES_PER_MINUTE": "0",
        })

    def start_proxy(self) -> None:
        file = self.machine.make_folder("proxy") / "haproxy.cfg"
        file.write_text(self.proxy_configuration())
        self.machine.launch("proxy", ["haproxy", "-f", str(file)])

    def proxy_configuration(self) -> str:
        """contrib/haproxy.cfg without TLS, with our servers and a page about them."""
        servers = "\n".join(
            f"    server {name} {self.machine.address(name)}:{self.http_ports[name]}" for name in SERVERS)
        text = (ROOT / "contrib/haproxy.cfg").read_text()
        for pattern, replacement in [
            (r"log /dev/log local0", "log stderr format raw local0 notice"),
            (r"    (user|group) haproxy\n", ""),
            (r"bind :80", f"bind 127.0.0.1:{self.port}"),
            (r"    bind :443 .*\n", ""),
            (r"    http-request redirect .*\n", ""),
            (r"Host fave\.example", f"Host 127.0.0.1:{self.port}"),
            (r"    server a .*", servers),
        ]:
            text, count = re.subn(pattern, replacement, text)
            if not count:
                raise Failure(f"contrib/haproxy.cfg has no {pattern!r}.")
        return text + f"""
frontend status
    bind 127.0.0.1:{self.port + 1}
    http-request return status 200 if {{ path /all-up }} {{ nbsrv(fave_games) ge {len(SERVERS)} }}
    http-request deny status 503 if {{ path /all-up }}
    stats enable
    stats uri /
    stats refresh 2s
"""

    def is_up(self) -> bool:
        """Whether HAProxy finds all servers ready."""
        try:
            request(f"{self.status_url}/all-up")
            return True
        except (OSError, http.client.HTTPException):
            return False

    def administer(self, *arguments: str, **environment: str) -> str:
        """Runs fave-admin; gives what it printed."""
        environment = {**os.environ, "DATABASE_URL": self.databases.url(), **environment}
        done = subprocess.run(
            [str(self.programs / "fave-admin"), *arguments], env=environment, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"fave-admin {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout
