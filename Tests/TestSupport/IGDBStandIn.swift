import Foundation
import Glibc
import IGDB
import Synchronization

/// A stand-in for IGDB, as a process of its own: `igdb-stand-in`, see its `Main` and `Orders`. It
/// ends with whoever holds this, or with the tests' process.
public final class IGDBStandIn: Sendable {
    public static let clientID = "client-4711"
    /// With what a form must escape.
    public static let clientSecret = "very secret: 1+1=2 & 100%"

    public let port: Int
    private let process: Process
    /// The stand-in reads from it, and ends when it closes.
    private let leash: Pipe

    /// What IGDB's addresses are to begin with.
    public var url: String { "http://127.0.0.1:\(port)/v4" }
    public var tokenURL: String { "http://127.0.0.1:\(port)/oauth2/token" }

    public init() throws {
        let (leash, output) = (Pipe.unshared(), Pipe.unshared())
        process = Process()
        process.executableURL = URL(fileURLWithPath: try Self.program())
        process.environment = [
            "IGDB_CLIENT_ID": Self.clientID, "IGDB_CLIENT_SECRET": Self.clientSecret,
        ]
        if let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] {
            process.environment?["LD_LIBRARY_PATH"] = path
        }
        process.standardInput = leash
        process.standardOutput = output
        try process.start()
        let line = String(
            decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TestFailure("the stand-in for IGDB did not start: \(line)")
        }
        self.port = port
        self.leash = leash
    }

    deinit {
        try? leash.fileHandleForWriting.close()
    }

    /// Beside the test bundle, as all programs of the package.
    private static func program() throws -> String {
        let candidates = [
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            CommandLine.arguments.first { $0.hasSuffix(".xctest") },
        ].compactMap { $0 }
        for candidate in candidates {
            let folder = URL(fileURLWithPath: candidate).deletingLastPathComponent().path
            let program = folder + "/igdb-stand-in"
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        throw TestFailure("igdb-stand-in is not beside the tests: \(candidates)")
    }

    // MARK: Control

    /// What can befall a request; see `Orders.Misdeed` of the stand-in.
    public enum Misdeed: String, Sendable {
        case status, cut, drop, malformed, oversize, hang, echo
    }

    public enum Endpoint: String, Sendable {
        case api, token
    }

    /// Lets something befall the next requests, after what was ordered before.
    public func next(
        _ misdeed: Misdeed, on endpoint: Endpoint = .api, times: Int = 1, status: Int = 500,
        body: String? = nil
    ) throws {
        var order: [String: Any] = [
            "do": misdeed.rawValue, "on": endpoint.rawValue, "times": times, "status": status,
        ]
        order["body"] = body
        try self.order(["next": [order]])
    }

    /// Milliseconds before each response.
    public func delay(_ endpoint: Endpoint = .api, milliseconds: Int) throws {
        try order([endpoint == .api ? "delay" : "tokenDelay": milliseconds])
    }

    /// Keeps the API's responses back until it is told otherwise.
    public func hold(_ holds: Bool) throws { try order(["hold": holds]) }

    public func setTokenLifetime(seconds: Int) throws { try order(["tokenLifetime": seconds]) }

    /// From now on no token is good that was.
    public func endTokens() throws { try order(["endTokens": true]) }

    /// Requests in any one second, where IGDB takes four.
    public func setRate(_ rate: Int) throws { try order(["rate": rate]) }

    /// As if it had just been started, with its log empty.
    public func reset() throws { try order(["reset": true]) }

    private func order(_ order: [String: Any]) throws {
        let body = try JSONSerialization.data(withJSONObject: order)
        let response = try send("POST", "/control", body: String(decoding: body, as: UTF8.self))
        guard response.status == 204 else {
            throw TestFailure("the stand-in does not obey \(order): \(response.status)")
        }
    }

    // MARK: The log

    public struct Log: Decodable, Sendable {
        public struct Request: Decodable, Sendable {
            /// The path.
            public let endpoint: String
            public let body: String
            /// In milliseconds since the start.
            public let at: Int
            /// 0 for what was never completed.
            public let status: Int
        }

        public let requests: [Request]
        /// How many tokens were minted.
        public let minted: Int
        /// How many requests came too fast, and got a 429 for it.
        public let refused: Int
        public let open: Int
        public let mostOpen: Int
        public let liveTokens: [String]

        /// Those to the API, not those for a token.
        public var questions: [Request] { requests.filter { $0.endpoint.hasPrefix("/v4/") } }
    }

    public func log() throws -> Log {
        let response = try send("GET", "/control/log")
        return try JSONDecoder().decode(Log.self, from: Data(response.bytes))
    }

    /// Sends one request on a connection of its own.
    public func send(
        _ method: String, _ path: String, fields: [(String, String)] = [], body: String = ""
    ) throws -> RawResponse {
        let connection = try RawConnection(port: port)
        var head = "\(method) \(path) HTTP/1.1\r\nHost: stand-in\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        try connection.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try connection.readResponse()
    }
}

/// Keeps a token in memory, as the database does.
public final class MemoryTokenStore: IGDBTokenStore {
    private let stored = Mutex<(token: IGDBToken?, saves: Int)>((nil, 0))

    public init(_ token: IGDBToken? = nil) {
        stored.withLock { $0.token = token }
    }

    public var token: IGDBToken? { stored.withLock { $0.token } }
    public var saveCount: Int { stored.withLock { $0.saves } }

    public func load() async throws -> IGDBToken? { token }

    public func save(_ token: IGDBToken, replacing old: IGDBToken?) async throws -> IGDBToken {
        stored.withLock { stored in
            stored.saves += 1
            if let theirs = stored.token, theirs != old { return theirs }
            stored.token = token
            return token
        }
    }
}
