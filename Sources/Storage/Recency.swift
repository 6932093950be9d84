import Postgres
import Sockets

/// How recent what someone reads has to be.
public struct Recency: Sendable {
    /// How long ago the primary may last have been asked what has changed.
    public let age: Duration
    /// The end of the log after a write that must be seen, if there is one.
    public let position: LogPosition?

    public init(age: Duration, position: LogPosition? = nil) {
        self.age = age
        self.position = position
    }

    /// As recent as the request: the primary is asked each time.
    public static let exact = Recency(age: .zero)
}

/// A place in a primary's write-ahead log.
public struct LogPosition: Hashable, Sendable {
    /// Eight hexadecimal digits. A server that becomes the primary begins a timeline.
    public let timeline: String
    /// In bytes since the log began.
    public let offset: UInt64

    /// - Parameter text: A `pg_lsn`: `16/B374D848`.
    init?(timeline: String, _ text: some StringProtocol) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard timeline.utf8.count == 8, UInt32(timeline, radix: 16) != nil, halves.count == 2,
            let high = UInt32(halves[0], radix: 16), let low = UInt32(halves[1], radix: 16)
        else { return nil }
        self.timeline = timeline
        offset = UInt64(high) << 32 | UInt64(low)
    }

    /// Reads what `description` gives: `00000001:16/B374D848`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(timeline: String(parts[0]), parts[1])
    }

    /// Whether a log that reaches to here has all that one up to another place has. Nothing is known
    /// of other timelines: they may have parted before that place.
    func covers(_ other: LogPosition) -> Bool {
        timeline == other.timeline && offset >= other.offset
    }
}

extension LogPosition: CustomStringConvertible {
    public var description: String {
        let high = String(offset >> 32, radix: 16, uppercase: true)
        let low = String(UInt32(truncatingIfNeeded: offset), radix: 16, uppercase: true)
        return "\(timeline):\(high)/\(low)"
    }
}
