import CoreMetrics
import Encodings
import Foundation
import Logging
import Storage

/// A queue in the database of messages to other servers. Any number of processes can empty it at once:
/// each message is leased by one of them.
///
/// A message is sent at least once: if this process dies after the receiver has accepted one, another
/// process sends it again.
protocol Queue: Sendable {
    associatedtype Message: QueuedMessage

    /// What the log calls a message.
    static var name: String { get }

    /// How long to wait after each attempt that failed, in seconds. After one attempt more, a message is
    /// given up.
    static var delays: [Int] { get }

    /// How many messages are being sent at most.
    var concurrency: Int { get }
    var counters: AttemptCounters { get }
    var logger: Logger { get }

    /// The next message that is due and can be sent beside these. No one else gets it until its lease
    /// ends, which is after the longest attempt.
    func take(besides sending: [Message]) async throws -> Message?

    /// Tries to deliver a message.
    func attempt(_ message: Message) async throws -> Outcome

    /// Removes a message, or makes it due again. Notes how its attempt ended, for the receiver's owner.
    func settle(_ message: Message, _ fate: Fate) async throws
}

protocol QueuedMessage: Sendable {
    var id: UUID { get }
    /// The number of attempts so far, including this one.
    var attempts: Int { get }
}

/// How an attempt to deliver a message ended.
enum Outcome {
    case accepted
    case failed(Failure)
    /// There is no one to tell, or there is no longer anything to tell.
    case needless
    /// The message must not be sent.
    ///
    /// - Parameters:
    ///   - detail: For the log.
    ///   - reason: For the receiver's owner.
    case refused(detail: String, reason: String)
    /// This process is stopping. The message is sent again when its lease has ended.
    case interrupted
}

struct Failure: Equatable {
    /// For the receiver's owner.
    let reason: String
    /// For the log.
    let detail: String
    /// Whether the receiver won't ever accept the message.
    var isFinal = false
    /// How long the receiver wants us to wait, in seconds.
    var retryAfter: Int?
}

/// What becomes of a message after an attempt.
enum Fate: Equatable {
    /// It is removed: it was accepted, or the receiver won't ever accept it.
    case finished(Failure?)
    /// It is removed without an attempt.
    case needless
    case postponed(seconds: Int, Failure)
    /// It is removed, and counts as lost.
    case dropped(reason: String)
}

extension Queue {
    /// Delivers everything that is due, and what becomes due before that is done.
    func deliver() async throws {
        try await withThrowingTaskGroup(of: Message?.self) { group in
            var sending: [Message] = []
            var isPausing = false
            while !Task.isCancelled {
                let hasRoom = sending.count < concurrency
                if hasRoom, let message = try await take(besides: sending) {
                    sending.append(message)
                    group.addTask {
                        await deliver(message)
                        return message
                    }
                    continue
                }
                guard !sending.isEmpty else { break }
                // A message that comes in the meantime doesn't wait for a receiver that hangs.
                if hasRoom, !isPausing {
                    isPausing = true
                    group.addTask {
                        try await Task.sleep(for: Sender.period)
                        return nil
                    }
                }
                if let sent = try await group.next() ?? nil {
                    sending.removeAll { $0.id == sent.id }
                } else {
                    isPausing = false
                }
            }
            group.cancelAll()
        }
    }

    private func deliver(_ message: Message) async {
        do {
            if let fate = fate(of: message, try await attempt(message)) {
                try await settle(message, fate)
            }
        } catch {
            // The message stays in the queue, and is due when its lease has ended.
            warn(message, ": \(String(reflecting: error))")
        }
    }

    /// Counts and logs an attempt.
    ///
    /// - Returns: `nil` if the message waits for the end of its lease.
    private func fate(of message: Message, _ outcome: Outcome) -> Fate? {
        switch outcome {
        case .interrupted: return nil
        case .needless: return .needless
        case .refused(let detail, let reason):
            warn(message, detail)
            return .dropped(reason: reason)
        case .accepted:
            counters.accepted.increment()
            return .finished(nil)
        case .failed(let failure):
            counters.failed.increment()
            warn(message, ", attempt \(message.attempts): \(failure.detail)")
            if failure.isFinal { return .finished(failure) }
            if let delay = Self.delay(after: message.attempts, asked: failure.retryAfter) {
                return .postponed(seconds: delay, failure)
            }
            warn(message, " is given up")
            return .dropped(reason: failure.reason)
        }
    }

    private func warn(_ message: Message, _ words: String) {
        logger.warning("\(Self.name) \(message.id.text)\(words)")
    }

    /// How long to wait until the next attempt, in seconds; `nil` if there is none.
    ///
    /// - Parameter asked: What the receiver has asked for. It can make the wait longer, up to the longest
    ///   one of `delays`, but not shorter.
    static func delay(after attempts: Int, asked: Int? = nil) -> Int? {
        guard (1...delays.count).contains(attempts) else { return nil }
        let delay = delays[attempts - 1]
        // Not all at once, if a receiver of many was down.
        return max(delay + Int.random(in: 0...delay / 10), min(asked ?? 0, delays.max() ?? 0))
    }
}
