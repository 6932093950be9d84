import CLibCurl
import Foundation
import HTTPTypes
public import Monitoring
public import Sockets
import Transfers

/// Sends requests to other servers with libcurl, on an event loop. Connections are kept open and
/// reused.
public actor HTTPClient {
    private let loop: EventLoop
    private let multi: MultiHandle
    private let name: String?
    private var stopwatches: [Outcome: Stopwatch] = [:]

    /// - Parameter name: The name of all servers in metrics; `nil` for each one's own name. It is needed if
    ///   users choose the servers: there can be any number of them.
    public init(on loop: EventLoop, named name: String? = nil) {
        self.loop = loop
        self.name = name
        multi = MultiHandle(on: loop, connectionLimit: Self.connectionLimit)
    }

    /// The most connections that may be open at once. Further requests wait.
    public static let connectionLimit = 16

    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.serialExecutor.asUnownedSerialExecutor()
    }

    /// Sends a request and waits for the whole response. Cancelling the task ends the transfer.
    public func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let start = loop.now
        do throws(HTTPClientError) {
            let response = try await perform(request)
            record(request, "\(response.status.code / 100)xx", loop.now - start)
            return response
        } catch {
            record(request, "\(error.code)", loop.now - start)
            throw error
        }
    }

    private func perform(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let transfer = try Transfer(request)
        switch await multi.perform(transfer.easy, until: loop.now + request.timeout) {
        case .completed(let code): return try transfer.response(code)
        case .notStarted(let status):
            throw HTTPClientError(.unreachable, detail: status.text)
        case .timedOut: throw HTTPClientError(.timeout)
        case .cancelled: throw HTTPClientError(.cancelled)
        case .closed: throw HTTPClientError(.closed)
        }
    }

    /// Ends all transfers and rejects all later requests.
    public func close() { multi.close() }

    // MARK: Metrics

    public static let metrics = [durations]

    private static let durations = MetricName(
        "http.client.request.duration", .histogram, unit: "seconds",
        "How long requests to other servers took, by server and result.")

    private struct Outcome: Hashable {
        let method: HTTPRequest.Method
        let host: String
        let result: String
    }

    /// - Parameter result: The class of the status, or why there is none.
    private func record(_ request: ClientRequest, _ result: String, _ duration: Duration) {
        // Without a name, the servers are those that the operator has configured, so there are few.
        let outcome = Outcome(
            method: request.method, host: name ?? URL(string: request.url)?.host() ?? "",
            result: result)
        let stopwatch =
            stopwatches[outcome]
            ?? Stopwatch(
                Self.durations,
                [
                    ("http.request.method", outcome.method.rawValue),
                    ("server.address", outcome.host), ("result", outcome.result),
                ])
        stopwatches[outcome] = stopwatch
        stopwatch.record(duration)
    }
}
