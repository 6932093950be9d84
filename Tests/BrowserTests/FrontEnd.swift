import Foundation
import TestSupport

/// A page of another site with a client of the API in it, in a browser, and a server that knows
/// neither. Their names lead to ports of the loopback.
struct FrontEnd {
    static let origin = "http://front-end.example"
    static let api = "http://fave.example"

    let browser: WebDriver
    let server: TestServer
    private let log: Recorder<String>

    static func run(
        settings: [String: String] = [:], _ body: (FrontEnd) async throws -> Void
    ) async throws {
        let log = Recorder<String>()
        let settings = ["PUBLIC_URL": api, "CORS_ORIGINS": origin].merging(settings) { $1 }
        try await TestServer.run(settings: settings, log: log) { server in
            try await FrontEndSite.run { port in
                let hosts = ["front-end.example": port, "fave.example": server.port]
                try await WebDriver.run(.init(hosts: hosts)) { browser in
                    try browser.open(origin)
                    try await body(FrontEnd(browser: browser, server: server, log: log))
                }
            }
        }
    }

    private init(browser: WebDriver, server: TestServer, log: Recorder<String>) {
        self.browser = browser
        self.server = server
        self.log = log
    }

    // MARK: Calls

    /// The version of the API, by what its client is called.
    enum Client: String {
        case first = "FirstFrontEnd"
        case second = "FaveGames"

        fileprivate var address: String {
            switch self {
            case .first: FrontEnd.api + "/api/v0"
            case .second: FrontEnd.api + "/api/v1"
            }
        }
    }

    /// Makes the client that is called from here on.
    func connect(_ client: Client, token: String? = nil) throws {
        try browser.run(
            "connect(...arguments)", client.rawValue, client.address, token ?? NSNull())
    }

    /// Calls a function of the client.
    ///
    /// - Throws: `Failure` if that throws.
    func call<Value: Decodable>(
        _ function: String, _ arguments: Any..., as type: Value.Type = Value.self
    ) throws -> Value {
        try outcome(function, arguments, as: type).get()
    }

    /// What a function of the client throws.
    func failure(_ function: String, _ arguments: Any...) throws -> Failure {
        switch try outcome(function, arguments, as: Ignored.self) {
        case .success: throw TestFailure("\(function) \(arguments) did not fail")
        case .failure(let failure): return failure
        }
    }

    private func outcome<Value: Decodable>(
        _ function: String, _ arguments: [Any], as type: Value.Type
    ) throws -> Result<Value, Failure> {
        let outcome: Outcome<Value> = try browser.evaluate(
            "const [name, values] = arguments; return call(name, ...values);", function, arguments)
        if let failure = outcome.failure { return .failure(failure) }
        guard let value = outcome.value else { throw TestFailure("\(function) gave nothing") }
        return .success(value)
    }

    private struct Outcome<Value: Decodable>: Decodable {
        let value: Value?
        let failure: Failure?
    }

    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }

    // MARK: What the server saw

    /// The requests so far, each with the status of its response: `GET /api/v0/ping 200`.
    var requests: [String] {
        log.elements.compactMap { line in
            line.wholeMatch(of: /debug: \S+ ([A-Z]+ \/\S* \d{3}) .*/).map { String($0.1) }
        }
    }

    /// What the browser asked before it sent a request, by the paths: `/api/v0/users/me`.
    var preflights: [String] {
        requests.compactMap { request in
            request.wholeMatch(of: /OPTIONS (\S+) 204/).map { String($0.1) }
        }
    }
}

/// An error of JavaScript.
struct Failure: Error, Decodable, CustomStringConvertible {
    /// `Refusal` for a response of the API, `TypeError` for what the browser did not let through.
    let name: String
    let message: String
    let status: Int?
    let headers: [String: String]?
    let body: Body?

    enum Body: Decodable {
        case text(String)
        case members(Members)

        init(from decoder: any Decoder) throws {
            do {
                self = .text(try decoder.singleValueContainer().decode(String.self))
            } catch {
                self = .members(try Members(from: decoder))
            }
        }
    }

    /// Those of `/api/v0`, and those of problem documents.
    struct Members: Decodable {
        let code: String?
        let message: String?
        let type: String?
    }

    var text: String? { if case .text(let text) = body { text } else { nil } }

    var members: Members? { if case .members(let members) = body { members } else { nil } }

    var description: String { "\(name) \(status ?? 0): \(message)" }
}
