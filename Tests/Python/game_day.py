"""The load and the judge of a game day: saves lists, reads them, and knows which responses are right.

`tokens` has an access token for each username. Each of these users has a writer, who saves a list again
and again; its first comment says which version it is. Readers, who are not signed in, read the lists'
JSON and pages all the time.

A save gets 200 (it was made), with 412 or 429 (it was not), or not so, and then no one
knows: it may have been made, or may yet be made. So each save has an If-Match with the entity tag of what
the writer has seen last, which keeps a late save from replacing a newer one. A read that begins after
a version was acknowledged must show that one or a later one: otherwise it is stale. A version that was
acknowledged and is not there at the end, nor a later one, is lost.

`Judge.run` is told what happens, one event a line:

    event NAME      the following belongs to this event
    reads-must-not-fail     during this event
    gap SECONDS     how long the database alone took no writes in this event
    broken TEXT     something that must not be, seen by someone else
    end             read everything once more

These must not be: a lost save, a stale read, a version that was never saved, a failed read during an
event in which reads must not fail, or saves that failed for longer than the database alone took none, and
`allowed_gap` seconds longer.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

READERS = 6


class History:
    """What is known of one user's list. Versions are numbers that grow."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.acknowledged = 0
        self.started = 0
        self.refused: set[int] = set()
        self.seen = 0

    def start(self) -> int:
        """Begins a save, and gives its version."""
        with self.lock:
            self.started += 1
            return self.started

    def acknowledge(self, version: int) -> None:
        with self.lock:
            self.acknowledged = max(self.acknowledged, version)

    def refuse(self, version: int) -> None:
        """Notes that a save was certainly not made."""
        with self.lock:
            self.refused.add(version)

    def floor(self) -> tuple[int, int]:
        """What a read that begins now must show at least, and what another has shown before."""
        with self.lock:
            return self.acknowledged, self.seen

    def judge(self, floor: tuple[int, int], found: int) -> str | None:
        """Says what is wrong with a read, or None. `floor` is from before it began."""
        acknowledged, seen = floor
        with self.lock:
            if found > self.started or found in self.refused:
                return "invented"
            if found < acknowledged:
                return "stale"
            self.seen = max(self.seen, found)
            # Shown before it was acknowledged, and then lost with the primary: that is allowed.
            return "withdrawn" if found < seen else None

    def is_lost(self, found: int) -> bool:
        """Whether something that was acknowledged is missing at the end."""
        with self.lock:
            return found < self.acknowledged


class Event:
    def __init__(self, name: str, began: float) -> None:
        self.name, self.began, self.ended = name, began, began
        self.counts: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.good: dict[str, list[float]] = {"read": [], "write": []}
        self.reads_must_not_fail = False
        self.database_gap: float | None = None

    def longest_gap(self, kind: str, before: float | None) -> float:
        """The longest time without a response. `before` is when the last one came before the event."""
        times = [before if before is not None else self.began, *self.good[kind], self.ended]
        return max(later - earlier for earlier, later in zip(times, times[1:]))


class Record:
    """Counts what happens, by event."""

    def __init__(self, allowed_gap: float) -> None:
        self.lock = threading.Lock()
        self.allowed_gap = allowed_gap
        self.events: list[Event] = []
        self.broken: list[str] = []
        self.examples: list[str] = []

    def begin(self, name: str) -> None:
        now = time.monotonic()
        with self.lock:
            if self.events:
                self.events[-1].ended = now
            self.events.append(Event(name, now))

    def finish(self) -> None:
        with self.lock:
            self.events[-1].ended = time.monotonic()

    @property
    def event(self) -> Event:
        return self.events[-1]

    def add(
        self, kind: str, failure: str | None = None, fault: str | None = None, example: str = ""
    ) -> None:
        """Counts a request. `fault` is what History.judge says of its response."""
        with self.lock:
            event = self.event
            event.counts[kind] += 1
            if failure:
                event.failures[f"{kind}: {failure}"] += 1
                event.counts[f"failed {kind}"] += 1
            else:
                event.good[kind].append(time.monotonic())
            if fault:
                event.counts[fault] += 1
                if fault != "withdrawn" and len(self.examples) < 10:
                    self.examples.append(f"{fault}: {example}, during: {event.name}")

    def gaps(self) -> Iterator[tuple[Event, float, float]]:
        """For each event the longest times without a good read, and without a good save."""
        last: dict[str, float | None] = {"read": None, "write": None}
        for event in self.events:
            yield event, event.longest_gap("read", last["read"]), event.longest_gap("write", last["write"])
            for kind in last:
                last[kind] = event.good[kind][-1] if event.good[kind] else last[kind]

    def judge(self, lost: int) -> list[str]:
        """Everything that is broken and must not be, as sentences."""
        total: Counter[str] = sum((event.counts for event in self.events), Counter())
        broken = list(self.broken)
        if lost:
            broken.append(f"{lost} of the saves that were acknowledged are lost.")
        if total["stale"]:
            broken.append(f"{total['stale']} reads were stale.")
        if total["invented"]:
            broken.append(f"{total['invented']} reads showed what was never saved.")
        if not total["read"] - total["failed read"] or not total["write"] - total["failed write"]:
            broken.append("There were no good responses to judge by.")
        for event, _, gap in self.gaps():
            if event.reads_must_not_fail and event.counts["failed read"]:
                broken.append(f"{event.counts['failed read']} reads failed: {event.name}.")
            if event.database_gap is not None and gap > event.database_gap + self.allowed_gap:
                broken.append(
                    f"No save was made for {gap:.1f} s, and the database alone took none for"
                    f" {event.database_gap:.1f} s: {event.name}.")
        return broken + [f"  {example}" for example in self.examples]

    def table(self) -> Iterator[str]:
        rows: list[tuple[object, ...]] = [
            ("event", "s", "reads", "failed", "gap", "saves", "failed", "gap", "database's gap")]
        for event, read_gap, write_gap in self.gaps():
            rows.append((
                event.name, f"{event.ended - event.began:.0f}", event.counts["read"],
                event.counts["failed read"], f"{read_gap:.1f}", event.counts["write"],
                event.counts["failed write"], f"{write_gap:.1f}",
                "" if event.database_gap is None else f"{event.database_gap:.1f}",
            ))
        widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
        for row in rows:
            cells = [str(cell).rjust(width) for cell, width in zip(row, widths)]
            yield "  ".join([str(row[0]).ljust(widths[0]), *cells[1:]]).rstrip()

    def summary(self, lost: int) -> list[str]:
        total: Counter[str] = sum((event.counts for event in self.events), Counter())
        failures: Counter[str] = sum((event.failures for event in self.events), Counter())
        acknowledged = total["write"] - total["failed write"]
        lines: list[tuple[str, object]] = [
            ("requests", total["read"] + total["write"]),
            ("failures", ", ".join(f"{n} {kind}" for kind, n in failures.most_common()) or 0),
            ("longest gap", "{:.1f} s of reads, {:.1f} s of saves".format(
                max(gap for _, gap, _ in self.gaps()), max(gap for _, _, gap in self.gaps()))),
            ("acknowledged saves", acknowledged),
            ("lost saves", lost),
            ("stale reads", total["stale"]),
            ("shown, then withdrawn before it was acknowledged", total["withdrawn"]),
        ]
        return [f"{name}: {value}" for name, value in lines]


class Client:
    """A connection that is made again after a failure."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.connection: http.client.HTTPConnection | None = None

    def request(
        self, method: str, path: str, body: str | None = None, fields: Mapping[str, str] = {}
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Gives the status, the fields and the body; raises OSError or HTTPException."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            self.connection.request(method, path, body, fields)
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise


def version(body: bytes) -> int:
    """The version of a list, in its JSON or on its page; 0 if it has none."""
    found = re.search(rb"game day (\d+)\.", body)
    return int(found[1]) if found else 0


class Judge:
    def __init__(self, url: str, tokens: dict[str, str], seed: int, allowed_gap: float) -> None:
        self.url, self.tokens, self.seed = url, tokens, seed
        self.histories = {name: History() for name in tokens}
        self.record = Record(allowed_gap)
        self.stopping = threading.Event()

    def write(self, name: str, number: int) -> None:
        """Saves one user's list again and again."""
        chance = random.Random(f"{self.seed} writer {number}")
        client, history = Client(self.url), self.histories[name]
        signed_in = {"Authorization": f"Bearer {self.tokens[name]}"}
        tag: str | None = None
        entries: list[dict[str, object]] = []
        while not self.stopping.is_set():
            self.stopping.wait(chance.random() * 0.04)
            if tag is None:
                floor = history.floor()
                try:
                    status, fields, body = client.request("GET", "/api/v1/me/list", None, signed_in)
                except (OSError, http.client.HTTPException) as error:
                    self.failed("read", error)
                    continue
                if status != 200:
                    self.failed("read", status)
                    continue
                self.judged(name, "/api/v1/me/list", floor, body)
                tag = fields["ETag"]
                if not entries:
                    entries = [
                        {"gameId": entry["game"]["id"], "platformId": entry["platform"]["id"]}
                        for entry in json.loads(body)["entries"]
                    ]
            saved = history.start()
            entries[0]["comment"] = f"game day {saved}."
            sent = {**signed_in, "Content-Type": "application/json", "If-Match": tag or ""}
            tag = None
            try:
                status, fields, _ = client.request(
                    "PUT", "/api/v1/me/list", json.dumps({"entries": entries}), sent)
            except (OSError, http.client.HTTPException) as error:
                self.failed("write", error)
                continue
            if status == 200:
                history.acknowledge(saved)
                self.record.add("write")
                tag = fields["ETag"]
            elif status in (412, 429):
                # After a failure: the save of before was made after all.
                history.refuse(saved)
                self.record.add("write", f"{status}")
            else:
                self.failed("write", status)

    def read(self, number: int) -> None:
        """Reads lists as someone who is not signed in."""
        chance = random.Random(f"{self.seed} reader {number}")
        client, names = Client(self.url), sorted(self.tokens)
        while not self.stopping.is_set():
            self.stopping.wait(chance.random() * 0.02)
            name = chance.choice(names)
            path = chance.choice([f"/api/v1/users/{name}/list", f"/@{name}"])
            floor = self.histories[name].floor()
            try:
                status, _, body = client.request("GET", path)
            except (OSError, http.client.HTTPException) as error:
                self.failed("read", error)
                continue
            if status == 200:
                self.judged(name, path, floor, body)
            else:
                self.failed("read", status)

    def failed(self, kind: str, reason: int | str | Exception) -> None:
        self.record.add(kind, reason if isinstance(reason, str) else (
            str(reason) if isinstance(reason, int) else type(reason).__name__))
        self.stopping.wait(0.02)  # What fails at once must not be most of what is counted.

    def judged(self, name: str, path: str, floor: tuple[int, int], body: bytes) -> None:
        found = version(body)
        self.record.add(
            "read", None, self.histories[name].judge(floor, found),
            f"{path} showed {found}, when {floor[0]} had been acknowledged")

    def run(self, commands: Iterable[str]) -> int:
        """Obeys the lines of `commands` until the end; gives the number of lost saves."""
        self.record.begin("start")
        threads = [
            *(threading.Thread(target=self.write, args=(name, number))
              for number, name in enumerate(self.tokens)),
            *(threading.Thread(target=self.read, args=(number,)) for number in range(READERS)),
        ]
        for thread in threads:
            thread.start()
        try:
            for line in commands:
                word, _, rest = line.strip().partition(" ")
                if word == "event":
                    self.record.begin(rest)
                elif word == "reads-must-not-fail":
                    self.record.event.reads_must_not_fail = True
                elif word == "gap":
                    self.record.event.database_gap = float(rest)
                elif word == "broken":
                    self.record.broken.append(rest)
                elif word == "end":
                    break
                elif word:
                    self.record.broken.append(f"There is no command {word}.")
            else:
                return 0  # It was interrupted, perhaps while no one can read the lists.
        finally:
            self.stopping.set()
            for thread in threads:
                thread.join()
        self.record.finish()
        return sum(self.is_lost(name) for name in self.tokens)

    def is_lost(self, name: str) -> bool:
        """Reads a list at the end, for as long as it takes to get a response."""
        client, floor = Client(self.url), self.histories[name].floor()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                status, _, body = client.request("GET", f"/api/v1/users/{name}/list")
                if status == 200:
                    found = version(body)
                    if self.histories[name].is_lost(found):
                        self.record.examples.append(
                            f"lost: {name}'s list is version {found} at the end,"
                            f" and {floor[0]} had been acknowledged")
                        return True
                    return False
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.2)
        self.record.broken.append(f"{name}'s list can't be read at the end.")
        return True

    def report(self, lost: int) -> bool:
        """Prints what happened; gives whether nothing is broken that must not be."""
        broken = self.record.judge(lost)
        print("", *self.record.table(), "", *self.record.summary(lost), "", sep="\n")
        if broken:
            print("This must not be:", *broken, sep="\n")
        else:
            print("Nothing was lost, and nothing was stale.")
        return not broken
