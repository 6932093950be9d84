import Foundation
import TestSupport

/// A page of another site with a client of the API in it, in a browser, and a server that knows
/// neither.
struct FrontEnd {
    /// Where the server is.
    let api: String
    let browser: WebDriver
    let server: TestServer
    private let log: Recorder<String>

    /// - Parameter allowing: The origins that may write, by that of the page.
    static func run(
        settings: [String: String] = [:], allowing: (_ origin: String) -> String = { $0 },
        _ body: (FrontEnd) async throws -> Void
    ) async throws {
        let log = Recorder<String>()
        try await FrontEndSite.run { sitePort in
            // Names below `localhost` are those of this machine, and sites of their own.
            let origin = "http://front-end.localhost:\(sitePort)"
            let port = try TestServer.freePort()
            let api = "http://fave.localhost:\(port)"
            let own = ["PUBLIC_URL": api, "PORT": "\(port)", "CORS_ORIGINS": allowing(origin)]
            let settings = own.merging(settings) { $1 }
            try await TestServer.run(settings: settings, log: log) { server in
                try await WebDriver.run { browser in
                    try browser.open(origin)
                    try await body(
                        FrontEnd(api: api, browser: browser, server: server, log: log))
                }
            }
        }
    }

    private init(api: String, browser: WebDriver, server: TestServer, log: Recorder<String>) {
        self.api = api
        self.browser = browser
        self.server = server
        self.log = log
    }

    // MARK: Calls

    /// The version of the API, by what its client is called.
    enum Client: String {
        case first = "FirstFrontEnd"
        case second = "FaveGames"

        fileprivate var path: String {
            switch self {
            case .first: "/api/v0"
            case .second: "/api/v1"
            }
        }
    }

    /// Makes the client that is called from here on.
    func connect(_ client: Client, token: String? = nil) throws {
        try browser.run(
            "connect(...arguments)", client.rawValue, api + client.path, token ?? NSNull())
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
