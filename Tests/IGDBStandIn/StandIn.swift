import ApicalypseParser
import HTTP
import HTTPTypes
import JSON
import Sockets

/// The service as a whole: who may ask, how often, and what was asked. Confined to its loop.
// @unchecked: other threads only hand it to the loop.
final class StandIn: @unchecked Sendable {
    private struct Entry {
        let endpoint: String
        let body: String
        /// Milliseconds since the start, or since the last reset.
        let at: Int
        /// 0 until it has a response, and for good if there never is one.
        var status = 0
    }

    private struct Token {
        let text: String
        let endsAt: MonotonicTime
    }

    private let clientID: String
    private let clientSecret: String
    private let loop: EventLoop
    private var listener: Listener?
    private var connections: [ObjectIdentifier: StandInConnection] = [:]

    private var orders = Orders()
    private var log: [Entry] = []
    private var epoch = 0
    private var start = MonotonicTime.read()
    private var tokens: [Token] = []
    private var mintedCount = 0
    private var refusedCount = 0
    private var open = 0
    private var mostOpen = 0
    /// What gives the responses that are held back.
    private var held: [() -> Void] = []
    /// When the requests of the last second were let in.
    private var admissions: [MonotonicTime] = []

    private static let maximumTokens = 25
    private static let maximumBodyBytes = 32_000

    init(clientID: String, clientSecret: String, loop: EventLoop) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.loop = loop
    }

    func listen(on socket: ListeningSocket) {
        listener = try? Listener(socket, on: loop) { [self] accepted in
            guard let stream = try? ByteStream(accepted, on: loop, inputLimit: 1 << 17) else {
                return
            }
            let connection = StandInConnection(stream, of: self)
            connections[ObjectIdentifier(connection)] = connection
        }
    }

    func closed(_ connection: StandInConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    // MARK: Requests

    func take(_ request: Request, _ connection: StandInConnection) {
        let path = request.target.path
        guard !path.hasPrefix("/control") else {
            return connection.finish(.response(control(request, path)))
        }
        let number = log.count
        let body = String(decoding: request.body, as: UTF8.self)
        let now = MonotonicTime.read()
        log.append(Entry(endpoint: path, body: body, at: milliseconds(now - start)))
        let isToken = path == "/oauth2/token"
        if !isToken {
            open += 1
            mostOpen = max(mostOpen, open)
        }
        let epoch = epoch
        connection.whenDone = { [self] status in
            // What began before a reset is forgotten.
            guard epoch == self.epoch else { return }
            log[number].status = status
            if !isToken { open -= 1 }
        }
        let outcome = isToken ? tokenOutcome(request, now) : apiOutcome(request, body, now)
        guard isToken || !orders.holds else { return held.append { connection.finish(outcome) } }
        let delay = isToken ? orders.tokenDelay : orders.delay
        guard delay > 0 else { return connection.finish(outcome) }
        loop.schedule(after: .milliseconds(delay)) { connection.finish(outcome) }
    }

    private func apiOutcome(_ request: Request, _ body: String, _ now: MonotonicTime) -> Outcome {
        admissions.removeAll { now - $0 >= .seconds(1) }
        guard admissions.count < orders.rate, open <= orders.maximumOpen else {
            refusedCount += 1
            return .json(429, ["message": "Too Many Requests"])
        }
        admissions.append(now)
        if let misdeed = orders.takeMisdeed(onToken: false) { return commit(misdeed, request) }
        guard isAuthorized(request, now) else { return .json(401, .object(Self.unauthorized)) }
        guard request.body.count <= Self.maximumBodyBytes else {
            return .json(413, ["title": "Request Too Large", "status": 413])
        }
        let path = request.target.path
        guard path.hasPrefix("/v4/") else { return .text(404, "Not Found") }
        let endpoint = String(path.dropFirst("/v4/".count))
        guard request.method == .post else {
            return .text(404, "Endpoint \(request.method.rawValue) /\(endpoint) not found")
        }
        do throws(QueryError) {
            guard let results = try Questions.results(endpoint, body) else {
                return .text(404, "Endpoint POST /\(endpoint) not found")
            }
            return .json(200, results)
        } catch {
            return Self.refusal(error)
        }
    }

    private static func refusal(_ error: QueryError) -> Outcome {
        guard error != .tooManyQueries else {
            return .json(
                error.status,
                [
                    "title": .string(error.title),
                    "details": "The maximum amount of concurrent request is at 10 queries",
                ])
        }
        var members: Row = ["title": .string(error.title), "status": .int(error.status)]
        members["cause"] = error.cause.map(JSONValue.string)
        return .json(error.status, .array([.object(members)]))
    }

    private func commit(_ misdeed: Orders.Misdeed, _ request: Request) -> Outcome {
        switch misdeed.kind {
        case .status: return .text(misdeed.status, misdeed.body ?? "")
        case .malformed: return .text(200, misdeed.body ?? "[{\"id\": 1, \"name\": ")
        case .oversize:
            return .text(200, "[\"\(String(repeating: "x", count: misdeed.bytes))\"]")
        case .cut: return .cut
        case .drop: return .drop
        case .hang: return .hang
        case .echo:
            let fields = request.headerFields.map { "\($0.name): \($0.value)" }
            let body = String(decoding: request.body, as: UTF8.self)
            return .text(400, "You said: \(fields.joined(separator: "; ")): \(body)")
        }
    }

    // MARK: Tokens

    private static let unauthorized: Row = [
        "message": "Authorization Failure. Have you tried:",
        "Tip 1": "Ensure you are sending Authorization and Client-ID as headers.",
        "Tip 2": "Ensure Authorization value starts with 'Bearer ', including the space",
    ]

    private func isAuthorized(_ request: Request, _ now: MonotonicTime) -> Bool {
        guard let name = HTTPField.Name("Client-ID"), request.headerFields[name] == clientID,
            let authorization = request.headerFields[.authorization]
        else { return false }
        tokens.removeAll { $0.endsAt <= now }
        return tokens.contains { authorization == "Bearer \($0.text)" }
    }

    private func tokenOutcome(_ request: Request, _ now: MonotonicTime) -> Outcome {
        func refuse(_ status: Int, _ message: JSONValue) -> Outcome {
            .json(status, ["status": .int(status), "message": message])
        }
        if let misdeed = orders.takeMisdeed(onToken: true) { return commit(misdeed, request) }
        guard request.method == .post, let form = try? FormItems(parsing: request.body) else {
            return refuse(400, "missing client id")
        }
        guard form["client_id"] == clientID else { return refuse(400, "invalid client") }
        guard form["client_secret"] == clientSecret else {
            return refuse(403, "invalid client secret")
        }
        guard form["grant_type"] == "client_credentials" else {
            return refuse(400, "invalid grant type")
        }
        mintedCount += 1
        let digits = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        let token = Token(
            text: "token\(digits.joined())", endsAt: now + .seconds(orders.tokenLifetime))
        tokens.append(token)
        // One too many ends the oldest.
        if tokens.count > Self.maximumTokens { tokens.removeFirst() }
        return .json(
            200,
            [
                "access_token": .string(token.text), "expires_in": .int(orders.tokenLifetime),
                "token_type": "bearer",
            ])
    }

    // MARK: Control

    private func control(_ request: Request, _ path: String) -> Response {
        switch (request.method, path) {
        case (.get, "/control/log"): return Outcome.response(.ok, report)
        case (.post, "/control"):
            guard let value = try? JSONParser.parse(request.body),
                case .object(let members) = value
            else { return Response(status: .badRequest) }
            if members["reset"] == .bool(true) { reset() }
            guard orders.obey(value) else { return Response(status: .badRequest) }
            if members["endTokens"] == .bool(true) { tokens = [] }
            if !orders.holds {
                for finish in held { finish() }
                held = []
            }
            return Response(status: .noContent)
        default: return Response(status: .notFound)
        }
    }

    private var report: JSONValue {
        let requests = log.map { entry in
            JSONValue.object([
                "endpoint": .string(entry.endpoint), "body": .string(entry.body),
                "at": .int(entry.at), "status": .int(entry.status),
            ])
        }
        return [
            "requests": .array(requests), "minted": .int(mintedCount),
            "refused": .int(refusedCount), "open": .int(open), "mostOpen": .int(mostOpen),
            "liveTokens": .array(tokens.map { .string($0.text) }),
        ]
    }

    /// As if it had just been started; tokens end, too. Who was made to wait waits no longer.
    private func reset() {
        epoch += 1
        orders = Orders()
        (log, tokens, admissions) = ([], [], [])
        (mintedCount, refusedCount, open, mostOpen) = (0, 0, 0, 0)
        start = MonotonicTime.read()
        for connection in Array(connections.values) { connection.release() }
    }

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }
}
