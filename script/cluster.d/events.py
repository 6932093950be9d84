"""The game day: breaks one thing after the other under load, while a judge reads and saves lists."""

from __future__ import annotations

import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from databases import NAMES, Databases
from machine import ROOT, Failure, Machine, wait
from site_and_proxy import SERVERS, Site

sys.path.append(str(ROOT / "Tests/Python"))
from game_day import Judge

# A change of the schema that servers of this version work with.
MIGRATION = """\
-- A change that servers of this version work with.
-- oldest-server: {last}
-- step: A column
ALTER TABLE users ADD COLUMN game_day integer;
-- step (in batches): Fill it
UPDATE users SET game_day = 1 WHERE id IN (SELECT id FROM users WHERE game_day IS NULL LIMIT 20);
-- step (outside a transaction): An index
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_game_day ON users (game_day);
-- step: A rule
ALTER TABLE users ADD CONSTRAINT users_game_day CHECK (game_day > 0) NOT VALID;
-- step: The rule holds
ALTER TABLE users VALIDATE CONSTRAINT users_game_day;
"""


class Probes:
    """Writes to each database directly, ten times a second, and notes when that was possible.

    Each database has a writer of its own, so that a silent one delays no other.
    """

    TRY = "INSERT INTO probe VALUES (now());\n\\if :ERROR\n\\echo failed\n\\else\n\\echo written\n\\endif\n"
    PATIENCE = "&keepalives_idle=1&keepalives_interval=1&keepalives_count=2&tcp_user_timeout=2000"

    def __init__(self, databases: Databases) -> None:
        self.databases = databases
        self.stopping = threading.Event()
        self.times: list[float] = []
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.threads = [threading.Thread(target=self.write, args=(name,)) for name in NAMES]
        for thread in self.threads:
            thread.start()

    def write(self, name: str) -> None:
        command = [f"{self.databases.programs}/psql", "-XqAt", self.databases.url_of(name) + self.PATIENCE]
        while not self.stopping.wait(0.1):
            try:
                with subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                        text=True, start_new_session=True) as psql:
                    self.running[name] = psql
                    self.write_until_it_ends(psql)
            except OSError:
                pass  # The connection was lost, and psql has ended.

    def write_until_it_ends(self, psql: subprocess.Popen[str]) -> None:
        assert psql.stdin and psql.stdout
        while not self.stopping.wait(0.1):
            psql.stdin.write(self.TRY)
            psql.stdin.flush()
            line = psql.stdout.readline()
            if not line:
                return
            if line == "written\n":
                self.times.append(time.monotonic())

    def stop(self) -> float:
        """Ends them; gives the longest time in which no database took a write."""
        self.stopping.set()
        while any(thread.is_alive() for thread in self.threads):
            for psql in list(self.running.values()):
                psql.kill()
            time.sleep(0.05)
        times = sorted(self.times)
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


class GameDay:
    def __init__(self, machine: Machine, databases: Databases, site: Site, pause: float) -> None:
        self.machine, self.databases, self.site, self.pause = machine, databases, site, pause
        # What the judge obeys. After None comes nothing more.
        self.words: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.probes: Probes | None = None

    def run(self) -> bool:
        """Plays it; gives whether everything was as it must be."""
        judge = Judge(self.site.url, self.tokens(), seed=1, allowed_gap=5)
        migrations = self.write_migrations()
        with ThreadPoolExecutor() as threads:
            verdict = threads.submit(judge.run, iter(self.words.get, None))
            try:
                self.play(threads, migrations)
                self.words.put("end")
            finally:
                self.words.put(None)
                if self.probes:
                    self.probes.stop()
            is_good = judge.report(verdict.result())
        try:
            self.site.administer("recount", "--check")
        except Failure as failure:
            print(f"The counts differ from the lists: {failure}")
            return False
        return is_good

    def play(self, threads: ThreadPoolExecutor, migrations: Path) -> None:
        self.began = time.monotonic()
        print("The game day begins.", flush=True)
        self.event("nothing happens")
        time.sleep(self.pause)

        self.event("kill -9 the primary", probed=True)
        self.lose_primary(self.machine.kill)
        self.recover()

        if self.machine.has_network:
            self.event("cut the primary's network", probed=True)
            primary = self.lose_primary(self.machine.cut)
            time.sleep(self.pause)
            self.machine.mend(primary)
            self.recover()
        else:
            print("        left out: cut the primary's network, which needs root and network namespaces")

        self.event("pause the primary until it is replaced", probed=True)
        primary = self.lose_primary(self.freeze)
        time.sleep(self.pause)
        self.thaw(primary)  # It does not know yet that it is no longer the primary.
        self.recover()

        self.event("pause the replica that confirms commits", probed=True)
        replica = self.databases.find_surely("sync_standby")
        self.freeze(replica)
        time.sleep(self.databases.ttl + self.pause)
        self.thaw(replica)
        self.recover()

        self.event("kill -9 a server")
        self.machine.kill(SERVERS[0])
        time.sleep(self.pause)
        self.recover()

        self.event("restart one server after the other")
        self.words.put("reads-must-not-fail")
        for name in SERVERS:
            self.machine.stop(name)
            self.site.start_server(name)
            self.expect(60, f"{name} to start again", self.site.is_up)
            time.sleep(2)
        self.recover()

        self.event("restart one replica after the other, and migrate")
        migration = threads.submit(self.site.administer, "migrate", "--from", str(migrations))
        # libpq tries no other host if one ends while it connects.
        self.expect(30, "the migration to begin", self.is_migrating)
        for role in ("replica", "sync_standby"):
            self.machine.stop(self.databases.find_surely(role))
            self.recover()
        try:
            migration.result()
        except Failure as failure:
            self.words.put(f"broken {failure}".replace("\n", " "))

        self.event("switch over, and restart the former primary", probed=True)
        primary = self.databases.find_surely("leader")
        self.databases.switch_over()
        self.expect(60, "the former primary to follow", self.databases.are_whole)
        self.machine.stop(primary)
        self.recover()

    def event(self, name: str, probed: bool = False) -> None:
        """Begins an event, with probes of the databases if it may stop their writes."""
        print(f"{time.monotonic() - self.began:4.0f} s  {name}", flush=True)
        self.words.put(f"event {name}")
        if probed:
            self.probes = Probes(self.databases)
            time.sleep(1)

    def expect(self, seconds: float, what: str, condition: Callable[[], object]) -> None:
        """Waits for a condition; if it does not come true, that is what is broken, and the day goes on."""
        try:
            wait(seconds, what, condition)
        except Failure as failure:
            self.words.put(f"broken {failure}")
            print(f"        {failure} Patroni says: {self.databases.members()}", flush=True)

    def lose_primary(self, how: Callable[[str], object]) -> str:
        """Does something to the primary, and waits until another database has taken over."""
        primary = self.databases.find_surely("leader")
        how(primary)
        self.expect(
            self.databases.ttl + 60, "another primary",
            lambda: self.databases.find("leader") not in (None, primary))
        return primary

    def freeze(self, name: str) -> None:
        self.machine.send(signal.SIGSTOP, name)

    def thaw(self, name: str) -> None:
        self.machine.send(signal.SIGCONT, name)

    def recover(self) -> None:
        """Starts again what was stopped, waits until all is as at the start, and then for a while."""
        for name in NAMES:
            if not self.machine.is_running(name):
                self.databases.start(name)
        for name in SERVERS:
            if not self.machine.is_running(name):
                self.site.start_server(name)
        self.expect(120, "three databases in step", self.databases.are_whole)
        self.expect(60, "both servers to be ready", self.site.is_up)
        time.sleep(self.pause)
        if self.probes:
            self.words.put(f"gap {self.probes.stop():.2f}")
            self.probes = None

    def tokens(self) -> dict[str, str]:
        """An access token of each person whose list is saved."""
        names = self.databases.query(self.databases.url(role="postgres"), """
            SELECT username FROM users u WHERE visibility = 'public'
               AND EXISTS (SELECT FROM entries e WHERE e.user_id = u.id) ORDER BY username LIMIT 4""")
        return {
            name: self.site.administer("token", "--user", name, ACCESS_TOKEN_MINUTES="1440").strip()
            for name in names}

    def is_migrating(self) -> bool:
        """Whether the first step of our migration is done."""
        found = self.databases.query(self.databases.url(role="postgres"), """
            SELECT 1 FROM pg_attribute WHERE attrelid = 'users'::regclass AND attname = 'game_day'""")
        return bool(found)

    def write_migrations(self) -> Path:
        """The migrations and one more."""
        folder = self.machine.folder("migrations")
        shutil.copytree(ROOT / "Migrations", folder, ignore=lambda _, names: [
            name for name in names if not name.endswith(".sql")])
        last = len(list(folder.iterdir()))
        (folder / f"{last + 1:04}_game_day.sql").write_text(MIGRATION.format(last=last))
        return folder
