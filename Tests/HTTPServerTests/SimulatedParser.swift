@testable import HTTPServer

/// A request as a simulated client sends it.
struct SimulatedMessage {
    enum Fault { case inHeader, inBody }

    static let bytesPerLine = 20

    /// How many lines the header has.
    var lines = 2
    var body = 0
    /// The bytes of a chunk, which arrives as a whole.
    var chunk = 1
    var isLarge = false
    var expectsContinue = false
    /// Whether the client waits for "100 Continue" before it sends the body.
    var waitsForContinue = false
    var isHEAD = false
    /// Whether it says HTTP/1.1, and not `Connection: close`.
    var isPersistent = true
    var fault: Fault?

    var header: Int { lines * Self.bytesPerLine }
}

/// Stands for `RequestParser`. It only counts bytes, and knows the messages that they belong to.
struct SimulatedParser {
    enum Event {
        case head(Int)
        case request(Int)
    }

    struct Failure: Error {}

    let messages: [SimulatedMessage]
    /// The number of the message that is being read, or is expected.
    private(set) var number = 0
    /// How many bytes of the message have been consumed.
    private var offset = 0
    private var hasStarted = false
    private var hasFailed = false

    init(_ messages: [SimulatedMessage]) { self.messages = messages }

    /// A client that sends more than its messages sends nonsense.
    var message: SimulatedMessage {
        number < messages.count ? messages[number] : SimulatedMessage(fault: .inHeader)
    }

    private var isInBody: Bool { offset >= message.header }

    var hasHead: Bool { isInBody && !hasFailed }

    var part: ConnectionState.MessagePart { hasHead ? .body : hasStarted ? .header : .none }

    var bodyCount: Int { max(0, offset - message.header) }

    mutating func parse(
        _ count: Int
    ) throws(Failure) -> (consumed: Int, event: Event?) {
        guard !hasFailed else { throw Failure() }
        guard count > 0 else { return (0, nil) }
        let message = message
        hasStarted = true
        let wasInBody = isInBody
        let unit = wasInBody ? message.chunk : SimulatedMessage.bytesPerLine
        let end = wasInBody ? message.header + message.body : message.header
        let taken = min(count / unit * unit, end - offset)
        if message.fault == (wasInBody ? .inBody : .inHeader), taken > 0 {
            hasFailed = true
            throw Failure()
        }
        offset += taken
        guard offset == end else { return (taken, nil) }
        guard wasInBody || message.body == 0 else { return (taken, .head(number)) }
        defer {
            number += 1
            offset = 0
            hasStarted = false
        }
        return (taken, .request(number))
    }

    /// Whether more of these bytes would be consumed now.
    func consumes(_ count: Int) -> Bool {
        var copy = self
        guard let (consumed, event) = try? copy.parse(count) else { return true }
        return consumed > 0 || event != nil
    }
}
