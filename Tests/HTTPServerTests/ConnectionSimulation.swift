import TestSupport

@testable import HTTPServer

/// A connection's state among a simulated client, stream, parser, responder and server, to which
/// anything may happen at any time. It checks each action, and what must always be true.
///
/// The simulation collects what it finds wrong, so that a test can see that it finds a broken state.
/// Its driver repeats `Connection.perform` and its surroundings by hand. Mistakes in the original are
/// for the tests with sockets to find.
final class ConnectionSimulation {
    /// A task of the responder, which may end after the connection.
    struct ResponderTask {
        let message: Int
        let isAdmission: Bool
        var isCancelled = false
    }

    /// What the client, the responder and the server do how often, in percent.
    struct Habits {
        /// A message is not valid.
        let fault: Int
        /// A message has a body.
        let body: Int
        /// A body is large.
        let large: Int
        /// The client, or the responder, asks to close.
        let closing: Int
        /// The client sends when it could.
        let sending: Int
        /// The client sends on up to the end of a message.
        let whole: Int
        /// The responder has the response in its memory.
        let memory: Int
        /// Otherwise, it looks whether it has.
        let recall: Int
        let bigResponse: Int
        /// A request needn't wait for its turn.
        let admission: Int
        /// There is no room for another body.
        let refusedBody: Int

        /// The most bytes that the client sends at once.
        let burst: Int
        /// The most bytes that the client reads at once.
        let reading: Int
        /// The most seconds that pass at once.
        let pause: Int
    }

    static let limits = (header: 10, idle: 60, body: 10, queue: 10, linger: 2)
    static let inputLimit = 20_000

    // The state, and what surrounds it.
    var state: ConnectionState
    let limits: ConnectionState.Limits
    let isRefused: Bool
    let breakage: Breakage?
    var random: Random
    let habits: Habits
    var parser: SimulatedParser
    var stream = SimulatedStream()
    var now = 0
    var place: (wait: Wait, since: Int)?
    var tasks: [ResponderTask] = []
    var queued: Int?
    /// The request whose response the responder looks for in its memory.
    var recalled: Int?
    var loopOwesTurn = false
    var isServerEnding = false

    // What the server counts.
    var bodies = 0
    var unsent = 0
    var active = 0

    // What must be true, found without the state.
    /// The request that was accepted and has no response yet.
    var outstanding: Int?
    /// The request of which the responder decides whether to read the body.
    var admitting: Int?
    var isCounted = false
    /// Whether nothing may be written any more.
    var hasWrittenLast = false
    /// Whether requests are held back until the output has drained.
    var isHeldBack = false
    var isDraining = false
    var isClosed = false
    var accepted = 0
    var responses: [Int: Int] = [:]
    var notes: [Int: Int] = [:]
    var continues: Set<Int> = []
    var discarded = 0
    /// How many requests had been accepted when the current wait began.
    var acceptedAtWait = 0
    var outputAtCount = 0
    var bodyAtCheck = 0
    /// How many bytes the client has sent.
    var sent = 0
    /// Where each message ends.
    let ends: [Int]

    var counts: [String: Int] = [:]
    var violations: [String] = []
    /// How many more actions there may be, so that a broken state can't go on forever.
    var fuel = 200_000

    init(
        _ messages: [SimulatedMessage], limits: ConnectionState.Limits, habits: Habits,
        isRefused: Bool, breakage: Breakage?, random: Random
    ) {
        parser = SimulatedParser(messages)
        var end = 0
        ends = messages.map { message in
            end += message.header + message.body
            return end
        }
        self.limits = limits
        self.habits = habits
        self.isRefused = isRefused
        self.breakage = breakage
        self.random = random
        state = ConnectionState(isRefused: isRefused, limits: limits)
        stream.room = [2000, 50_000, 1_000_000][self.random.below(3)]
        noteWait()
        if isRefused { refuseNow(.tooManyConnections) }
        check()
    }

    // MARK: Findings

    func expect(_ condition: Bool, _ violation: @autoclosure () -> String) {
        if !condition, violations.count < 20 { violations.append("\(now) s: \(violation())") }
    }

    func count(_ event: String) { counts[event, default: 0] += 1 }

    /// What the connection is doing.
    var phase: String {
        if isClosed { return "closed" }
        if stream.isFinishing || hasWrittenLast { return "lingering" }
        if admitting != nil { return "admitting" }
        if queued != nil { return "queued" }
        if recalled != nil { return "recalling" }
        if outstanding != nil { return "making" }
        return "reading"
    }

    private var isResponding: Bool { outstanding != nil || admitting != nil }

    /// Whether nothing of a request has come, and every response has been sent.
    var isIdle: Bool { isBetweenRequests && stream.outputCount == 0 }

    /// Whether nothing of a request has come, and none is being responded to.
    var isBetweenRequests: Bool {
        parser.part == .none && stream.held == 0 && phase == "reading"
    }

    private var expectedWait: Wait? {
        if isClosed { return nil }
        if isRefused { return .refusedEnd }
        if isResponding { return queued == nil ? .response : .turn }
        if stream.outputCount > 0 { return .reader }
        if phase == "lingering" { return .end }
        switch parser.part {
        case .body: return .body
        case .header: return .header
        case .none: break
        }
        if stream.held > 0 { return .header }
        return accepted == 0 ? .firstRequest : .request
    }

    /// Checks what must be true between events.
    func check() {
        expect(place?.wait == expectedWait, "waits for \(place as Any), not \(expectedWait as Any)")
        expect(isClosed || acceptedAtWait == accepted, "a wait that is older than its request")
        expect(state.isOpen == !isClosed, "open or closed?")
        expect((0...1).contains(bodies), "\(bodies) bodies")
        expect(bodies == 1 || place?.wait != .body, "a body that is not counted")
        expect(
            bodies == 0 || isResponding || parser.part == .body || phase == "lingering",
            "a body that is counted for nothing")
        expect(unsent >= stream.outputCount, "output that is not counted")
        expect((unsent == 0) == (stream.outputCount == 0), "\(unsent) bytes are counted")
        switch phase {
        case "closed":
            expect(unsent == 0 && bodies == 0 && queued == nil, "it is counted after its end")
            expect(tasks.allSatisfy(\.isCancelled), "a task goes on")
        case "lingering":
            expect(stream.isFinishing, "the client isn't told of the end")
            expect(!stream.hasReadEnd || stream.outputCount > 0, "it stays after its end")
            expect(discarded <= limits.lingerBytes, "\(discarded) bytes were discarded")
        case "reading":
            let mayWait = loopOwesTurn || (isHeldBack && stream.outputCount > 0)
            expect(mayWait || !parser.consumes(stream.held), "a message is not read")
            let isAwaited = parser.part == .body && parser.message.expectsContinue
            expect(!isAwaited || continues.contains(parser.number), "doesn't ask for the body")
            expect(mayWait || !stream.hasReadEnd, "it waits for a client that has ended")
        default: break
        }
    }

    /// Checks what must be true once the connection has ended, and all tasks have.
    func checkEnd() {
        expect(isClosed && place == nil, "it is still open, and waits for \(place as Any)")
        expect(tasks.isEmpty && active == 0, "\(active) requests are counted")
        expect(bodies == 0, "\(bodies) bodies are counted")
        expect(unsent == 0, "\(unsent) bytes are counted")
        for number in 0..<accepted {
            let isLast = number == accepted - 1
            let count = responses[number, default: 0]
            expect(count == 1 || (isLast && count == 0), "\(count) responses to \(number)")
            let noted = notes[number, default: 0]
            expect(noted == 1 || (isLast && noted == 0), "\(noted) log lines of \(number)")
        }
        expect(fuel > 0, "it did not come to an end")
    }

    // MARK: The client

    /// How many bytes the client may have sent by now, if it waits for "100 Continue".
    private var sendable: Int {
        for (number, message) in parser.messages.enumerated() where number >= parser.number {
            if message.waitsForContinue, !continues.contains(number) {
                return ends[number] - message.body
            }
        }
        return .max
    }

    /// - Parameters:
    ///   - isWhole: Whether the client sends on up to the end of a message.
    ///   - isReported: Whether the kernel reports it at once.
    func clientSends(_ count: Int, isWhole: Bool, isReported: Bool) {
        guard !stream.clientHasEnded, stream.isOpen else { return }
        let least = sent + count
        let end = isWhole ? ends.first { $0 >= least } ?? least : least
        let count = max(0, min(end, sendable) - sent)
        sent += count
        stream.arrived += count
        if isReported { streamIsReadable() }
    }

    func clientReads(_ count: Int) {
        guard stream.isOpen, !stream.isReset else { return }
        stream.room += count
        streamIsWritable()
        check()
    }

    func clientEnds() {
        guard !stream.clientHasEnded, stream.isOpen else { return }
        stream.clientHasEnded = true
        streamIsReadable()
    }

    /// The client is gone. The kernel reports it at once, or when something is sent.
    func clientResets(isReported: Bool) {
        guard stream.isOpen, !stream.isReset else { return }
        count("gone while \(phase)")
        stream.isReset = true
        if isReported { streamFails() }
        check()
    }

    // MARK: Time

    private func limit(_ wait: Wait) -> Int? {
        switch wait {
        case .firstRequest, .header: Self.limits.header
        case .request, .reader: Self.limits.idle
        case .body: Self.limits.body
        case .turn: Self.limits.queue
        case .response: nil
        case .end, .refusedEnd: Self.limits.linger
        }
    }

    func pass(_ seconds: Int) {
        let end = now + seconds
        while let (wait, since) = place, let limit = limit(wait), since + limit <= end, fuel > 0 {
            fuel -= 1
            now = max(now, since + limit)
            timePassed()
            check()
        }
        now = end
    }
}
