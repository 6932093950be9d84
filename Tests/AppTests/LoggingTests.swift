import Foundation
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import App

@Suite("The log")
final class LoggingTests: Sendable {
    private let lines = Recorder<String>()
    /// What is to happen after a minute.
    private let later = Recorder<@Sendable () -> Void>()
    private let seconds = Atomic(0)

    private func logger(
        _ kind: LineFormat.Kind = .text, isJournal: Bool = false
    ) -> Logger {
        let repetitions = Repetitions(
            now: { [self] in
                Date(timeIntervalSince1970: Double(seconds.load(ordering: .relaxed)))
            },
            afterAMinute: { [later] in later.record($0) })
        return Logger(label: "test") { [lines] _ in
            LineLogHandler(LineFormat(kind, isJournal: isJournal), repetitions) {
                lines.record(String(decoding: $0, as: UTF8.self))
            }
        }
    }

    private func pass(seconds count: Int) { seconds.add(count, ordering: .relaxed) }

    private func aMinuteIsOver() { for body in later.take() { body() } }

    @Test("has the time and the level in text, with what belongs to a message after it")
    func text() throws {
        logger().notice("Hello.", metadata: ["request": "7", "a": "b"])
        let line = try #require(lines.elements.first)
        #expect(line.wholeMatch(of: /\d{4}-\d\d-\d\dT\S+Z notice: Hello\. a=b request=7\n/) != nil)
    }

    @Test("has priorities for the journal, which knows the time itself")
    func journal() {
        let journal = logger(isJournal: true)
        journal.info("one")
        journal.warning("two\nlines")
        journal.error("three", metadata: ["a": "b\nfailed sign-in"])
        #expect(
            lines.take() == [
                "<6>one\n", "<4>two\n<4>    lines\n", "<3>three a=b\n<3>    failed sign-in\n",
            ])
        logger(.bare, isJournal: true).info("as it is")
        #expect(lines.take() == ["<6>as it is\n"])
        logger(.json, isJournal: true).critical("x")
        #expect(lines.elements.first?.hasPrefix("<2>{\"time\":\"") == true)
    }

    @Test("is for the journal only if standard error is what the variable names")
    func journalStream() {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(LineFormat.isJournal(["JOURNAL_STREAM": stream]))
        #expect(!LineFormat.isJournal(["JOURNAL_STREAM": stream + "0"]))
        #expect(!LineFormat.isJournal([:]))
    }

    @Test("has a warning that is repeated once a minute, with a count, and others at once")
    func repetitions() {
        let logger = logger(isJournal: true)
        for _ in 0..<4 {
            logger.warning("full")
            pass(seconds: 2)
        }
        logger.warning("other")
        for _ in 0..<2 { logger.notice("fine") }
        #expect(lines.take() == ["<4>full\n", "<4>other\n", "<5>fine\n", "<5>fine\n"])
        pass(seconds: 52)
        aMinuteIsOver()
        func report(_ words: String) -> [String] { ["<4>\(words): full\n"] }
        #expect(
            lines.take()
                == report("3 more times since 1970-01-01T00:00:00Z, last at 1970-01-01T00:00:06Z"))
        pass(seconds: 60)
        logger.warning("full")
        aMinuteIsOver()
        #expect(
            lines.take()
                == report("1 more time since 1970-01-01T00:01:00Z, last at 1970-01-01T00:02:00Z"))
        // A minute without any: the next one is the first again.
        aMinuteIsOver()
        #expect(lines.elements == [])
        #expect(later.count == 0)
        logger.warning("full")
        #expect(lines.elements == ["<4>full\n"])
    }
}
