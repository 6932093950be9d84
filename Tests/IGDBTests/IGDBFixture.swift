import Foundation
import HTTPClient
import Logging
import Sockets
import TestSupport
import Testing

@testable import IGDB

/// A client on a loop of its own, and a stand-in that it asks.
struct IGDBFixture: Sendable {
    let standIn: IGDBStandIn
    let client: IGDBClient
    let loop: EventLoop
    let tokens: MemoryTokenStore
    let log: Recorder<String>

    static func run<Result>(
        standIn: IGDBStandIn? = nil, tokens: MemoryTokenStore = MemoryTokenStore(),
        secret: String = IGDBStandIn.clientSecret, id: String = IGDBStandIn.clientID,
        apiURL: String? = nil, timeout: Duration = .seconds(10),
        _ body: (IGDBFixture) async throws -> Result
    ) async throws -> Result {
        // Whatever the surroundings say, the tests talk to this machine.
        setenv("no_proxy", "*", 1)
        let standIn = try standIn ?? IGDBStandIn()
        return try await withLoop { loop in
            let http = HTTPClient(on: loop)
            let log = Recorder<String>()
            var configuration = IGDBConfiguration(
                clientID: id, clientSecret: secret, apiURL: apiURL ?? standIn.url,
                tokenURL: standIn.tokenURL)
            configuration.timeout = timeout
            let client = IGDBClient(
                configuration, tokens: tokens, client: http, loop: loop,
                logger: Logger(label: "test") { _ in RecordingLogHandler(lines: log) })
            let fixture = IGDBFixture(
                standIn: standIn, client: client, loop: loop, tokens: tokens, log: log)
            do {
                let result = OnLoop(try await body(fixture))
                await http.close()
                return result.value
            } catch {
                await http.close()
                throw error
            }
        }
    }

    /// The names that a search finds, in their order.
    func search(_ text: String) async throws -> [String] {
        try await onLoop(loop) { try await client.games(matching: text, for: .unknown).map(\.name) }
    }

    func games(_ ids: [Int]) async throws -> [IGDBGame] {
        try await onLoop(loop) { try await client.games(ids: ids, for: .unknown) }
    }

    /// One small question, begun now.
    func ask() -> Task<IGDBError?, Never> {
        Task(executorPreference: loop) {
            do throws(IGDBError) {
                _ = try await client.games(ids: [1001], for: .unknown)
                return nil
            } catch {
                return error
            }
        }
    }

    func expectAnswer(location: SourceLocation = #_sourceLocation) async throws {
        let failure = try await failure()
        #expect(failure == nil, sourceLocation: location)
    }

    func expectFailure(
        _ code: IGDBError.Code, location: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = try await failure()
        #expect(failure?.code == code, sourceLocation: location)
    }

    /// Why one small question fails; `nil` if it does not.
    func failure() async throws -> IGDBError? { try await value(of: ask()) }
}
