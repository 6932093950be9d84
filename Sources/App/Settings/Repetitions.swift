import Foundation
import Synchronization

/// Counts messages that say the same within a minute, so that what goes wrong for every request, or
/// every second, fills no disk: the first is written at once, and then one a minute, with their number.
final class Repetitions: Sendable {
    /// Calls a closure after a minute.
    typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// The repetitions of a message that were left out.
    struct Omitted {
        fileprivate(set) var count = 0
        /// When the message was last written.
        let since: Date
        fileprivate(set) var latest: Date
    }

    private let omitted = Mutex<[String: Omitted]>([:])
    private let now: @Sendable () -> Date
    private let afterAMinute: Schedule

    private static let limit = 1000

    init(
        now: @escaping @Sendable () -> Date = { Date() },
        afterAMinute: @escaping Schedule = { body in
            Task.detached {
                try? await Task.sleep(for: .seconds(60))
                body()
            }
        }
    ) {
        self.now = now
        self.afterAMinute = afterAMinute
    }

    /// - Parameter write: Called with those that were left out, if any were, each minute.
    /// - Returns: Whether to write the message now.
    func admit(_ message: String, write: @escaping @Sendable (Omitted) -> Void) -> Bool {
        let now = now()
        let (isAdmitted, isCounted) = omitted.withLock { omitted in
            if omitted[message] != nil {
                omitted[message]?.count += 1
                omitted[message]?.latest = now
                return (false, true)
            }
            // Messages of so many kinds are not the same one again and again.
            guard omitted.count < Self.limit else { return (true, true) }
            omitted[message] = Omitted(since: now, latest: now)
            return (true, false)
        }
        if !isCounted { reportLater(message, write) }
        return isAdmitted
    }

    private func reportLater(_ message: String, _ write: @escaping @Sendable (Omitted) -> Void) {
        afterAMinute { [self] in
            let now = now()
            let report = omitted.withLock { omitted in
                let report = omitted[message].flatMap { $0.count > 0 ? $0 : nil }
                omitted[message] = report.map { _ in Omitted(since: now, latest: now) }
                return report
            }
            guard let report else { return }
            write(report)
            reportLater(message, write)
        }
    }
}
