"""One machine as if it were several: hosts with addresses of their own, and the processes on them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SWITCH = "fave-cluster-switch"
# 198.18.0.0/15 is set apart for tests of network devices (RFC 2544), so it is hardly in use.
NETWORK = "198.18.77"


class Failure(Exception):
    """Something that whoever runs the script can read and act on."""


def wait(seconds: float, what: str, condition: Callable[[], object]) -> None:
    """Waits until a condition holds; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise Failure(f"waited in vain for {what}.")
        time.sleep(0.2)


def ip(*arguments: str, may_fail: bool = False) -> bool:
    """Runs the program of that name; gives whether it succeeded."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode and not may_fail:
        raise Failure(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.returncode == 0


class Machine:
    """The hosts' folder, network and processes.

    Each process of a host has its working directory in the host's folder. PostgreSQL's processes are no
    children of Patroni, so this is how they are found, also those that an earlier run has left behind.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        # The user that PostgreSQL runs as, which may not be root.
        self.owner = postgres_user() if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self.state = self.state_folder()
        self.logs = self.state / "logs"
        # Whether each host has a network namespace of its own, which needs root and the kernel's permission.
        self.has_network = False
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.free_ports: set[int] = set()

    def state_folder(self) -> Path:
        """A folder that PostgreSQL's user can use, with a path that can be written in configurations."""
        folder = ROOT / ".run/cluster"
        folder.mkdir(parents=True, exist_ok=True)
        may_enter = subprocess.run([*self.as_owner(), "test", "-x", str(folder)], cwd="/")
        if may_enter.returncode or set(str(folder)) & set("\"'\\:,# \t\n"):
            if os.geteuid() != 0:
                raise Failure(
                    "the path of this checkout has characters that Patroni's or HAProxy's configuration"
                    " can't have. Move it elsewhere.")
            folder = Path("/var/lib/fave-games/cluster")
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def as_owner(self) -> list[str]:
        """What a command begins with so that it runs as PostgreSQL's user."""
        if os.geteuid() != 0:
            return []
        return [
            "setpriv", f"--reuid={self.owner.pw_uid}", f"--regid={self.owner.pw_gid}", "--clear-groups", "--"]

    # -- The network ----------------------------------------------------------------------------

    def connect(self) -> None:
        """Gives each host a network namespace, if that is possible.

        The bridge between them has a namespace of its own, too, so that no firewall of this machine
        filters what it passes on.
        """
        self.has_network = os.geteuid() == 0 and ip("netns", "add", SWITCH, may_fail=True)
        if not self.has_network:
            return
        ip("-n", SWITCH, "link", "add", "bridge", "type", "bridge")
        ip("-n", SWITCH, "link", "set", "bridge", "up")
        for name in self.names:
            space = f"fave-cluster-{name}"
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
            ip("link", "add", name, "netns", SWITCH, "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("-n", SWITCH, "link", "set", name, "master", "bridge", "up")
            ip("-n", space, "address", "add", f"{self.address(name)}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
        ip("link", "add", "fave-cluster", "type", "veth", "peer", "name", "proxy", "netns", SWITCH)
        ip("-n", SWITCH, "link", "set", "proxy", "master", "bridge", "up")
        ip("address", "add", f"{self.proxy_address()}/24", "dev", "fave-cluster")
        ip("link", "set", "fave-cluster", "up")

    def address(self, name: str) -> str:
        return f"{NETWORK}.{11 + self.names.index(name)}" if self.has_network else "127.0.0.1"

    def proxy_address(self) -> str:
        """The address that the servers see connections of HAProxy come from."""
        return f"{NETWORK}.1" if self.has_network else "127.0.0.1"

    def port(self, usual: int) -> int:
        """A port for a host to listen on: the usual one, if the host has an address of its own."""
        if self.has_network:
            return usual
        while True:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = int(free.getsockname()[1])
            if port not in self.free_ports:
                self.free_ports.add(port)
                return port

    def cut(self, name: str) -> None:
        """Cuts a host's network, until `mend`."""
        ip("-n", SWITCH, "link", "set", name, "down")

    def mend(self, name: str) -> None:
        ip("-n", SWITCH, "link", "set", name, "up")

    # -- Processes ------------------------------------------------------------------------------

    def start_logs(self) -> None:
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir()

    def folder(self, name: str) -> Path:
        return self.state / name

    def make_folder(self, name: str) -> Path:
        folder = self.folder(name)
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, self.owner.pw_uid, self.owner.pw_gid)
        return folder

    def launch(self, name: str, command: list[str], environment: dict[str, str] | None = None) -> None:
        """Starts the process of a host. Ctrl-C does not reach it: the script stops it in order."""
        if self.has_network and name in self.names:
            command = ["nsenter", f"--net=/run/netns/fave-cluster-{name}", "--", *command]
        with open(self.logs / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.make_folder(name), env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def is_running(self, name: str) -> bool:
        process = self.processes.get(name)
        return process is not None and process.poll() is None

    def processes_of(self, name: str) -> Iterator[int]:
        """The ids of a host's processes. None of them has a terminal, unlike a shell of someone's."""
        folder = self.folder(name)
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                working = Path(os.readlink(entry / "cwd"))
                terminal = (entry / "stat").read_text().rpartition(")")[2].split()[4]
            except OSError:
                continue  # It has ended, or belongs to someone else.
            if terminal == "0" and (working == folder or folder in working.parents):
                yield int(entry.name)

    def send(self, number: signal.Signals, name: str) -> bool:
        """Sends a signal to all processes of a host; gives whether there were any."""
        ids = list(self.processes_of(name))
        for process in ids:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        return bool(ids)

    def kill(self, name: str) -> None:
        """Ends all processes of a host at once, as a loss of power does."""
        while self.send(signal.SIGKILL, name):
            time.sleep(0.05)
        if name in self.processes:
            self.processes.pop(name).wait()

    def stop(self, name: str, patience: float = 30) -> None:
        """Asks the process of a host to end, and kills it if it does not for so many seconds."""
        if self.is_running(name):
            self.processes[name].terminate()
            try:
                self.processes[name].wait(patience)
            except subprocess.TimeoutExpired:
                pass
        self.kill(name)

    def clear(self, hosts: list[str]) -> None:
        """Leaves only the logs: of this run at its end, and of an earlier one that was killed."""
        for name in hosts:
            self.kill(name)
            shutil.rmtree(self.folder(name), ignore_errors=True)
        if os.geteuid() == 0:
            # A namespace's links disappear with it.
            for name in [SWITCH, *(f"fave-cluster-{name}" for name in self.names)]:
                ip("netns", "delete", name, may_fail=True)
            ip("link", "delete", "fave-cluster", may_fail=True)


def postgres_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise Failure(
        "PostgreSQL refuses to run as root, and this system has neither the user postgres nor the user"
        " nobody to run it as.")
