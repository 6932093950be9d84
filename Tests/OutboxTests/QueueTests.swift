import Foundation
import Logging
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Outbox

@Suite("A queue of messages to other servers")
struct QueueTests {
    private struct Message: QueuedMessage {
        let id = UUID()
        var attempts = 1
    }

    /// A queue in memory, which records what becomes of its messages.
    private final class MemoryQueue: Queue {
        static let delays = [10, 100]
        static let name = "message"

        let concurrency: Int
        let counters = AttemptCounters(MetricName("test.attempts", .counter, "Attempts."))
        let logger: Logger
        let lines = Recorder<String>()
        let fates = Recorder<Fate>()
        private let waiting: Mutex<[Message]>
        private let outcome: @Sendable (Message) async throws -> Outcome

        init(
            _ messages: [Message], concurrency: Int = 1,
            outcome: @escaping @Sendable (Message) async throws -> Outcome
        ) {
            waiting = Mutex(messages)
            self.concurrency = concurrency
            self.outcome = outcome
            logger = Logger(label: "test") { [lines] _ in RecordingLogHandler(lines: lines) }
        }

        func take(besides sending: [Message]) -> Message? {
            waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }

        func attempt(_ message: Message) async throws -> Outcome { try await outcome(message) }

        func settle(_ message: Message, _ fate: Fate) { fates.record(fate) }
    }

    /// What becomes of a message after its attempt, and what the log says of it.
    private func course(
        of message: Message, _ outcome: @escaping @Sendable () throws -> Outcome
    ) async throws -> (fates: [Fate], lines: [String]) {
        let queue = MemoryQueue([message]) { _ in try outcome() }
        try await queue.deliver()
        let prefix = "warning: message \(message.id.text)"
        return (
            queue.fates.elements,
            queue.lines.elements.map {
                $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count).dropLast(4)) : $0
            }
        )
    }

    @Test("keeps a message until it is accepted, needn't be sent or can't be")
    func outcomes() async throws {
        let accepted = try await course(of: Message()) { .accepted }
        #expect(accepted.fates == [.finished(nil)] && accepted.lines.isEmpty)
        let needless = try await course(of: Message()) { .needless }
        #expect(needless.fates == [.needless] && needless.lines.isEmpty)
        let interrupted = try await course(of: Message()) { .interrupted }
        #expect(interrupted.fates.isEmpty && interrupted.lines.isEmpty)
        let refused = try await course(of: Message()) { .refused(detail: ": no", reason: "No.") }
        #expect(refused.fates == [.dropped(reason: "No.")] && refused.lines == [": no"])
        let failure = Failure(reason: "Gone.", detail: "gone", isFinal: true)
        let gone = try await course(of: Message()) { .failed(failure) }
        #expect(gone.fates == [.finished(failure)] && gone.lines == [", attempt 1: gone"])
        let broken = try await course(of: Message()) { throw TestFailure("broken") }
        #expect(broken.fates.isEmpty && broken.lines.count == 1)
    }

    @Test("repeats what failed as its schedule says, and then gives it up")
    func retries() async throws {
        let failure = Failure(reason: "Down.", detail: "down")
        for (attempts, delays) in [(1, 10...11), (2, 100...110)] {
            let course = try await course(of: Message(attempts: attempts)) { .failed(failure) }
            #expect(delays.contains { course.fates == [.postponed(seconds: $0, failure)] })
            #expect(course.lines == [", attempt \(attempts): down"])
        }
        let last = try await course(of: Message(attempts: 3)) { .failed(failure) }
        #expect(last.fates == [.dropped(reason: "Down.")])
        #expect(last.lines == [", attempt 3: down", " is given up"])
        let patient = Failure(reason: "Down.", detail: "down", retryAfter: 1_000_000)
        let asked = try await course(of: Message()) { .failed(patient) }
        #expect(asked.fates == [.postponed(seconds: 100, patient)])
    }

    @Test("sends as many messages at once as it may")
    func concurrency() async throws {
        let sending = Mutex((now: 0, most: 0))
        let queue = MemoryQueue((0..<50).map { _ in Message() }, concurrency: 4) { _ in
            sending.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            try await eventually("four at once") { sending.withLock(\.most) == 4 }
            sending.withLock { $0.now -= 1 }
            return .accepted
        }
        try await queue.deliver()
        #expect(queue.fates.count == 50)
        #expect(sending.withLock(\.most) == 4)
    }
}
