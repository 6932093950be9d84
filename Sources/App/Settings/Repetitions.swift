import Synchronization

/// Counts messages that say the same within a minute, so that what goes wrong for every request, or
/// every second, fills no disk: the first is written at once, and then one a minute, with their number.
final class Repetitions: Sendable {
    /// Calls a closure after a minute.
    typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// How often each message was left out since it was last written.
    private let omitted = Mutex<[String: Int]>([:])
    private let afterAMinute: Schedule

    private static let limit = 1000

    init(
        afterAMinute: @escaping Schedule = { body in
            Task.detached {
                try? await Task.sleep(for: .seconds(60))
                body()
            }
        }
    ) {
        self.afterAMinute = afterAMinute
    }

    /// - Parameter write: Called with the number of those that were left out, if any were, each minute.
    /// - Returns: Whether to write the message now.
    func admit(_ message: String, write: @escaping @Sendable (Int) -> Void) -> Bool {
        let (isAdmitted, isCounted) = omitted.withLock { omitted in
            if let count = omitted[message] {
                omitted[message] = count + 1
                return (false, true)
            }
            // Messages of so many kinds are not the same one again and again.
            guard omitted.count < Self.limit else { return (true, true) }
            omitted[message] = 0
            return (true, false)
        }
        if !isCounted { reportLater(message, write) }
        return isAdmitted
    }

    private func reportLater(_ message: String, _ write: @escaping @Sendable (Int) -> Void) {
        afterAMinute { [self] in
            let count = omitted.withLock { omitted in
                let count = omitted[message] ?? 0
                omitted[message] = count > 0 ? 0 : nil
                return count
            }
            guard count > 0 else { return }
            write(count)
            reportLater(message, write)
        }
    }
}
