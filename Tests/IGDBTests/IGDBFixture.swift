import Foundation
import HTTPClient
import Logging
import Sockets
import TestSupport
import Testing

@testable import IGDB

/// A client on a loop of its own, whose clock stands still until the test moves it, and a stand-in that
/// it asks.
struct IGDBFixture: Sendable {
    let standIn: IGDBStandIn
    let client: IGDBClient
    let loop: EventLoop
    let clock: TestClock
    let tokens: MemoryTokenStore
    let log: Recorder<String>

    /// - Parameter rate: Requests per second: many, since the clock stands still.
    static func run<Result>(
        standIn: IGDBStandIn? = nil, tokens: MemoryTokenStore = MemoryTokenStore(),
        secret: String = IGDBStandIn.clientSecret, id: String = IGDBStandIn.clientID,
        apiURL: String? = nil, rate: Int = 1000,
        _ body: (IGDBFixture) async throws -> Result
    ) async throws -> Result {
        Surroundings.ignoreProxies()
        let standIn = try standIn ?? IGDBStandIn()
        try standIn.setRate(1000)
        let clock = TestClock()
        return try await withLoop(clock) { loop in
            let http = HTTPClient(on: loop)
            let log = Recorder<String>()
            let configuration = IGDBConfiguration(
                clientID: id, clientSecret: secret, apiURL: apiURL ?? standIn.url,
                tokenURL: standIn.tokenURL)
            let client = IGDBClient(
                configuration, tokens: tokens, client: http, loop: loop,
                logger: Logger(label: "test") { _ in RecordingLogHandler(lines: log) }, rate: rate)
            let fixture = IGDBFixture(
                standIn: standIn, client: client, loop: loop, clock: clock, tokens: tokens,
                log: log)
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

    func expectResponse(location: SourceLocation = #_sourceLocation) async throws {
        let failure = try await failure()
        #expect(failure == nil, sourceLocation: location)
    }

    func expectFailure(
        _ code: IGDBError.Code, location: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = try await failure()
        #expect(failure?.code == code, sourceLocation: location)
    }

    func advance(by duration: Duration) async { await clock.advance(by: duration, on: loop) }

    /// Waits until so many questions wait for their turns.
    func waits(_ count: Int) async throws {
        try await eventually("\(count) that wait") {
            await client.statistics.waitingRequests == count
        }
    }

    /// Why one small question fails that never gets a response.
    func failureAfterTimeout() async throws -> IGDBError? {
        let count = try standIn.log().requests.count
        let task = ask()
        try await eventually("a request") { try standIn.log().requests.count > count }
        await advance(by: .seconds(10))
        return try await value(of: task)
    }

    /// Why one small question fails; `nil` if it does not.
    func failure() async throws -> IGDBError? { try await value(of: ask()) }
}
