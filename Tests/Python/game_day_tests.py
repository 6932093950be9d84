"""Tests of game_day.py: it must find what is wrong, in histories and in servers that lie.

    game_day_tests.py
"""

import http.server
import json
import threading
import time
import unittest

from game_day import History, Judge, Record


class HistoryTests(unittest.TestCase):
    def acknowledged(self, count):
        history = History()
        for _ in range(count):
            history.acknowledge(history.start())
        return history

    def test_a_read_of_what_was_acknowledged_is_right(self):
        history = self.acknowledged(3)
        self.assertIsNone(history.judge(history.floor(), 3))

    def test_a_read_of_an_older_version_is_stale(self):
        history = self.acknowledged(3)
        self.assertEqual(history.judge(history.floor(), 2), "stale")

    def test_a_read_that_began_before_the_acknowledgement_may_be_older(self):
        history = self.acknowledged(2)
        floor = history.floor()
        history.acknowledge(history.start())
        self.assertIsNone(history.judge(floor, 2))
        self.assertIsNone(history.judge(floor, 3))

    def test_a_save_without_a_response_may_or_may_not_be_there(self):
        history = self.acknowledged(2)
        history.start()
        self.assertIsNone(history.judge(history.floor(), 2))
        self.assertIsNone(history.judge(history.floor(), 3))
        self.assertFalse(history.is_lost(2))
        self.assertFalse(history.is_lost(3))

    def test_a_save_that_was_shown_and_never_acknowledged_may_go_away_but_is_counted(self):
        history = self.acknowledged(2)
        history.start()
        history.judge(history.floor(), 3)
        self.assertEqual(history.judge(history.floor(), 2), "withdrawn")

    def test_a_version_that_was_refused_or_never_saved_is_invented(self):
        history = self.acknowledged(2)
        history.refuse(history.start())
        self.assertEqual(history.judge(history.floor(), 3), "invented")
        self.assertEqual(history.judge(history.floor(), 4), "invented")

    def test_an_older_version_at_the_end_is_lost(self):
        self.assertTrue(self.acknowledged(3).is_lost(2))
        self.assertFalse(self.acknowledged(3).is_lost(3))


class RecordTests(unittest.TestCase):
    def record(self, **values):
        record = Record(allowed_gap=2)
        record.begin("trial")
        record.add("read")
        record.add("write")
        record.event.began, record.event.ended = 100, 110
        record.event.good = {"read": [101, 109], "write": [101, 109]}
        for name, value in values.items():
            setattr(record.event, name, value)
        return record

    def test_a_day_on_which_nothing_happens_is_good(self):
        self.assertEqual(self.record().judge(lost=0), [])

    def test_a_day_without_responses_is_not_good(self):
        record = Record(allowed_gap=2)
        record.begin("trial")
        record.finish()
        self.assertEqual(len(record.judge(lost=0)), 1)

    def test_a_lost_save_is_broken(self):
        self.assertEqual(len(self.record().judge(lost=1)), 1)

    def test_a_failed_read_is_broken_only_where_reads_must_not_fail(self):
        record = self.record()
        record.add("read", "503")
        self.assertEqual(record.judge(lost=0), [])
        record.event.reads_must_not_fail = True
        self.assertEqual(len(record.judge(lost=0)), 1)

    def test_a_gap_is_broken_if_it_is_much_longer_than_the_database_s_own(self):
        self.assertEqual(self.record(database_gap=7).judge(lost=0), [])
        self.assertEqual(len(self.record(database_gap=5).judge(lost=0)), 1)

    def test_a_gap_begins_with_the_last_response_before_the_event(self):
        record = self.record()
        record.begin("next")
        record.events[0].ended = record.event.began = 110
        record.event.ended = 130
        record.event.good = {"read": [112, 129], "write": []}
        self.assertEqual([gaps[1:] for gaps in record.gaps()], [(8, 8), (17, 21)])


class Liar(http.server.BaseHTTPRequestHandler):
    """A server of lists, of the kind that its class member `lie` says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        with server.lock:
            versions = server.versions
            count = len(versions)
            if server.lie == "stale" and count > 5:
                count -= 3
            body = dict(versions[count - 1])
        if server.lie == "invented" and len(versions) > 5:
            body["entries"] = [{**body["entries"][0], "comment": "game day 99999."}]
        self.respond(503 if server.fails() else 200, body, f'"{count}"')

    def do_PUT(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = {"game": {"id": 1}, "platform": {"id": 1}, "comment": body["entries"][0]["comment"]}
        with server.lock:
            if self.headers["If-Match"] != f'"{len(server.versions)}"':
                return self.respond(412, {}, '"0"')
            # A tenth of the saves gets an error, though half of these are made.
            server.saves += 1
            if server.saves % 20 == 0:
                return self.respond(503, {}, '"0"')
            server.versions.append({"entries": [entry]})
            if server.saves % 20 == 10:
                return self.respond(503, {}, '"0"')
            self.respond(200, body, f'"{len(server.versions)}"')

    def respond(self, status, body, tag):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class JudgeTests(unittest.TestCase):
    def verdict(self, lie, commands=()):
        """What the judge says of a server with one list, after some saves and reads."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        server.daemon_threads = True
        server.lie, server.lock, server.saves, server.reads = lie, threading.Lock(), 0, 0
        first = {"game": {"id": 1}, "platform": {"id": 1}, "comment": None}
        server.versions = [{"entries": [first]}]

        def fails():
            server.reads += 1
            return lie == "failing" and server.reads % 50 == 0

        server.fails = fails
        threading.Thread(target=server.serve_forever, daemon=True).start()
        judge = Judge(
            f"http://127.0.0.1:{server.server_address[1]}", {"rob": "token"}, seed=1, allowed_gap=5)

        def lines():
            yield "event trial"
            yield from commands
            judge.stopping.wait(1)
            # A busy machine may need longer until saves have failed, or lies can be told.
            deadline = time.monotonic() + 120
            saves = 20 if lie == "none" else 6
            while (server.saves < saves or server.reads < 50) and time.monotonic() < deadline:
                judge.stopping.wait(0.05)
            if lie == "forgetting":
                with server.lock:
                    # What a failover to a replica that was behind does, after the last read.
                    judge.stopping.set()
                    server.versions = server.versions[:-3]
            yield "end"

        try:
            return judge.run(lines()), judge.record
        finally:
            server.shutdown()
            server.server_close()

    def test_an_honest_server_is_found_to_be_right_though_saves_fail(self):
        lost, record = self.verdict("none")
        self.assertEqual(record.judge(lost), [])
        self.assertGreater(sum(event.counts["failed write"] for event in record.events), 0)
        self.assertTrue(list(record.table()) and record.summary(lost))

    def test_a_server_that_shows_old_versions_is_stale(self):
        lost, record = self.verdict("stale")
        self.assertRegex("\n".join(record.judge(lost)), r"\d+ reads were stale")

    def test_a_server_that_forgets_has_lost_a_save(self):
        lost, record = self.verdict("forgetting")
        self.assertIn("1 of the saves that were acknowledged are lost.", record.judge(lost))

    def test_a_server_that_shows_what_was_never_saved_is_found_out(self):
        lost, record = self.verdict("invented")
        self.assertRegex("\n".join(record.judge(lost)), r"\d+ reads showed what was never saved")

    def test_failed_reads_are_broken_where_they_must_not_fail(self):
        lost, record = self.verdict("failing")
        self.assertEqual(record.judge(lost), [])
        lost, record = self.verdict("failing", ["reads-must-not-fail"])
        self.assertRegex("\n".join(record.judge(lost)), r"\d+ reads failed: trial")

    def test_what_someone_else_has_seen_broken_is_broken(self):
        lost, record = self.verdict("none", ["broken It burns."])
        self.assertEqual(record.judge(lost), ["It burns."])


if __name__ == "__main__":
    unittest.main()
