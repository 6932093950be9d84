"""Boots a throw-away copy of this machine with systemd, and installs the site there as the manual says.

    installed_site.py FOLDER

FOLDER contains fave-server. The blocks of docs/operating.md are pasted into a shell as they are, in their
order, and settings are put into a file of fave-games.conf.d and used with `systemctl reload`. The copy is an
overlay in memory with a network of its own, so nothing on this machine changes. Exits with status 77 if this
machine can't boot a copy, with the reason.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SITE = "http://127.0.0.1:8080"

# Blocks that need what a copy of this machine doesn't have, by a part of their text.
ELSEWHERE = {
    "apt install caddy": "script/check-proxies tries the configurations of proxies",
    "apt install nginx": "script/check-proxies tries the configurations of proxies",
    "apt install haproxy": "script/check-proxies tries the configurations of proxies",
    "podman-compose": "needs images from a registry",
    "TLS_CERTIFICATE_FILE": "needs certificates",
    "fave-games_1.1.0": "needs a newer release",
    "fave-games_1.0.0": "the programs are installed without the package",
    "apt purge": "the programs are installed without the package",
    "SMTP_URL": "needs a mail server",
    "OIDC_ISSUER": "needs a provider",
    "--from igdb": "needs IGDB",
}

STUBS = {
    # What is installed here is installed in the copy.
    "apt": "#!/bin/sh\nexit 0\n",
    "sudo": '#!/bin/sh\nif [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi\nexec "$@"\n',
}


def give_up(reason):
    print(f"This machine can't boot a copy of itself: {reason}.")
    sys.exit(77)


def enter_own_namespace():
    """Continues in a mount namespace of its own, whose mounts end with this process."""
    if os.environ.get("INSTALLED_SITE") == "unshared":
        return
    if os.geteuid() != 0:
        give_up("only root may")
    for program in ("systemd-nspawn", "unshare", "nsenter", "runuser", "setpriv"):
        if not shutil.which(program):
            give_up(f"{program} is not installed")
    if not os.path.exists("/lib/systemd/systemd"):
        give_up("systemd is not installed")
    environment = dict(os.environ, INSTALLED_SITE="unshared")
    if subprocess.run(["unshare", "--mount", "true"]).returncode != 0:
        give_up("it may not make namespaces")
    os.execvpe(
        "unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv], environment)


class Machine:
    """A copy of this machine that systemd has booted."""

    def __init__(self, folder):
        self.root = folder / "root"
        memory = folder / "memory"
        for path in (self.root, memory):
            path.mkdir()
        self._mount("-t", "tmpfs", "-o", "size=4g", "none", memory)
        for name in ("upper", "work"):
            (memory / name).mkdir()
        self._mount(
            "-t", "overlay", "-o", f"lowerdir=/,upperdir={memory}/upper,workdir={memory}/work", "none", self.root)
        self._prepare()
        log = open(folder / "boot.log", "wb")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "systemd-nspawn", "--quiet", f"--directory={self.root}", "--boot", "--register=no", "--keep-unit",
             "--private-network", f"--machine=fave-games-{os.getpid()}", "--link-journal=no"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.leader = self._wait_for_leader(folder / "boot.log")

    @staticmethod
    def _mount(*arguments):
        if subprocess.run(["mount", *map(str, arguments)]).returncode != 0:
            give_up("it may not mount an overlay")

    def _prepare(self):
        # Services of this machine, which the site doesn't need.
        wanted = self.root / "etc/systemd/system/multi-user.target.wants"
        shutil.rmtree(wanted, ignore_errors=True)
        wanted.mkdir(parents=True)
        (self.root / "root/source").mkdir()
        # A machine with an id of its own.
        (self.root / "etc/machine-id").write_text("")
        for name, text in STUBS.items():
            path = self.root / "usr/local/sbin" / name
            path.write_text(text)
            path.chmod(0o755)

    def _wait_for_leader(self, log):
        while True:
            if self.process.poll() is not None:
                give_up(f"systemd-nspawn ended: {log.read_text(errors='replace')[-300:]}")
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            if children and pathlib.Path(f"/proc/{children[0]}/comm").read_text().strip() == "systemd":
                self.leader = int(children[0])
                if self.run("systemctl is-system-running --wait", check=False).stdout.strip() in (
                        "running", "degraded"):
                    return self.leader
            time.sleep(0.1)

    def run(self, text, check=True):
        """Runs lines as root, in a shell that ends at the first error."""
        outcome = subprocess.run(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid",
             "--wdns=/root/source", "env", "--ignore-environment",
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
             "bash", "-euo", "pipefail", "-c", text],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if check and outcome.returncode != 0:
            log = self.run("journalctl --no-pager --unit 'fave-games*' --lines 30", check=False).stdout
            raise AssertionError(f"exit status {outcome.returncode} of:\n{text}\n\n{outcome.stdout}\n\n{log}")
        return outcome

    def status(self, path):
        return self.run(f"curl -s -o /dev/null -w '%{{http_code}}' {SITE}{path} || true").stdout

    def wait_until_ready(self):
        while self.status("/health") != "200":
            if self.run("systemctl is-active fave-games", check=False).stdout.strip() == "failed":
                raise AssertionError(self.run("systemctl status fave-games", check=False).stdout)
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def blocks(text):
    """The indented blocks of a document, with the heading that each is under."""
    heading, block = "", []
    for line in text.splitlines() + ["end"]:
        if line.startswith("    ") or (block and not line):
            block.append(line[4:])
            continue
        if "".join(block).strip():
            yield heading, "\n".join(block).strip()
        block = []
        if line.startswith("#"):
            heading = line.lstrip("# ")


def is_setting(line):
    return re.match(r"[A-Z][A-Z0-9_]+=", line) is not None


def check(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"ok: {what}")


def paste(machine, heading, block):
    """Does what a reader of the manual does with a block."""
    settings = [line for line in block.splitlines() if is_setting(line)]
    if settings and is_setting(block):
        machine.run(
            "cat >/etc/fave-games/fave-games.conf.d/pasted.conf <<'PASTED'\n" + "\n".join(settings) + "\nPASTED")
        block = "\n".join(line for line in block.splitlines() if not is_setting(line)).strip()
        if block:
            machine.run(block)
        machine.run("systemctl reload fave-games")
        machine.wait_until_ready()
        current = machine.run("sudo fave-admin settings --current").stdout
        for name in (line.split("=")[0] for line in settings):
            # A secret has one name, whether it comes from a file or not.
            check(any(shown + "=" in current for shown in (name, name.removesuffix("_FILE"))),
                  f"{heading}: {name} is in force")
        machine.run("rm /etc/fave-games/fave-games.conf.d/pasted.conf\nsystemctl reload fave-games")
    else:
        machine.run(block)
    machine.wait_until_ready()
    print(f"ok: {heading}: {block.splitlines()[0] if block else settings[0]}")


def main():
    enter_own_namespace()
    programs = pathlib.Path(sys.argv[1]).resolve()
    manual = list(blocks((REPOSITORY / "docs/operating.md").read_text()))
    with tempfile.TemporaryDirectory(prefix="fave-games-") as folder:
        machine = Machine(pathlib.Path(folder))
        try:
            visit(machine, programs, manual)
        finally:
            machine.stop()
            subprocess.run(["umount", "--recursive", machine.root])
            subprocess.run(["umount", "--recursive", pathlib.Path(folder) / "memory"])


def visit(machine, programs, manual):
    source = machine.root / "root/source"
    (source / ".build/release").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "contrib", source / "contrib")
    shutil.copy(programs / "fave-server", source / ".build/release")
    machine.run("pg_lsclusters --no-header | grep -q . || pg_createcluster 15 main\n"
                "systemctl start postgresql 'postgresql@*-main'")

    without = [block for heading, block in manual if heading == "Without the package"]
    machine.run("\n".join(without))
    install = next(block for heading, block in manual if heading == "Install")
    machine.run("\n".join(line for line in install.splitlines() if not line.startswith("apt install")))
    machine.wait_until_ready()
    check(machine.status("/") == "200", "the site works")
    doctor = machine.run("sudo fave-admin doctor").stdout
    check("public address: http://127.0.0.1:8080 responds" in doctor, "doctor speaks of it")
    machine.run("echo 'tulip staple 42' | sudo fave-admin users add tulip")

    pasted = 0
    for heading, block in manual:
        if heading == "Without the package" or block == install:
            continue
        reason = next((reason for part, reason in ELSEWHERE.items() if part in block), None)
        if reason:
            print(f"left out, {reason}: {heading}: {block.splitlines()[0]}")
            continue
        if heading == "Another port":
            move_to_another_port(machine, block)
        elif heading == "Move to another machine":
            if "tar --extract" in block:
                become_another_machine(machine, install)
            machine.run(block)
            print(f"ok: {heading}: {block.splitlines()[0]}")
        else:
            paste(machine, heading, block)
        pasted += 1
    machine.wait_until_ready()
    check("tulip" in machine.run("sudo fave-admin users list").stdout, "people are there after the move")
    check(pasted >= 12, f"{pasted} blocks of the manual work as pasted")
    make_mistakes(machine)


def move_to_another_port(machine, block):
    """Sees that the site is at the port of the block, and moves it back."""
    machine.run(block)
    other = SITE.replace("8080", "9000")
    while machine.run(f"curl -s -o /dev/null -w '%{{http_code}}' {other}/health || true").stdout != "200":
        time.sleep(0.1)
    check(machine.status("/health") == "000", "the site is at another port, and only there")
    machine.run("rm /etc/systemd/system/fave-games.socket.d/port.conf\nsystemctl daemon-reload\n"
                "systemctl restart fave-games.socket fave-games")
    machine.wait_until_ready()


def become_another_machine(machine, install):
    """Takes away what a new machine doesn't have, and makes the empty database of the manual again."""
    machine.run("systemctl disable --now fave-games.socket fave-games\nrm -r /etc/fave-games/*\n"
                "sudo -u postgres dropdb fave-games")
    database = install[install.index("sudo -u postgres createdb"):install.index("systemctl enable")]
    machine.run(database)


def make_mistakes(machine):
    """Sees that a mistake in the settings is told by whatever the operator tries first."""
    server = machine.run("systemctl show --property=MainPID fave-games").stdout
    machine.run("echo PORT=many >/etc/fave-games/fave-games.conf.d/mistake.conf")
    check(machine.run("systemctl reload fave-games", check=False).returncode != 0, "a reload with a mistake fails")
    check(server == machine.run("systemctl show --property=MainPID fave-games").stdout
          and machine.status("/") == "200", "and the server goes on")
    outcome = machine.run("sudo fave-admin doctor", check=False)
    check(outcome.returncode == 1 and 'BAD   settings: PORT is "many"' in outcome.stdout, "doctor says so")
    machine.run("systemctl restart fave-games")
    check(machine.status("/") == "503", "a restart has a page that says that the site is not set up")
    reason = machine.run("curl -s --unix-socket /run/fave-games/admin.sock http://localhost/ready").stdout
    check('PORT is "many"' in reason, "monitors are told the reason")
    errors = machine.run("journalctl --no-pager --priority err --unit fave-games").stdout
    check(re.search(r'fave-admin.*PORT is "many"', errors) and re.search(r'fave-server.*PORT is "many"', errors),
          f"errors of both programs have their priority in the journal:\n{errors}")
    machine.run("rm /etc/fave-games/fave-games.conf.d/mistake.conf\nsystemctl reload fave-games")
    machine.wait_until_ready()
    stranger = machine.run("runuser -u nobody -- fave-admin doctor", check=False)
    check(stranger.returncode == 1 and "Use sudo" in stranger.stdout, "who may not read the settings is told so")


if __name__ == "__main__":
    main()
