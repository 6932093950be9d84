import ArgumentParser
import Foundation
import HTTPClient
import HTTPTypes
import Sockets

struct ReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Ask the server on this machine whether it is ready, for health checks.",
        discussion: """
            Asks the listener that ADMIN_LISTEN names, prints what it says, and exits with status 1 \
            if the server is not ready or doesn't respond.
            """)

    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let isReady: Bool
        /// Why the server isn't ready.
        @Nullable var reason: String?
    }

    func run() async throws {
        guard let address = try SettingsReader().value(Settings.monitoring.listen) else {
            throw OperatorError("Set ADMIN_LISTEN as for fave-server.")
        }
        let loop = try EventLoop(name: "ready")
        defer { loop.stop() }
        let client = HTTPClient(on: loop)
        let response = await Task(executorPreference: loop) {
            let response: Result<ClientResponse, HTTPClientError>
            do throws(HTTPClientError) {
                response = .success(try await client.send(address.request("/ready")))
            } catch {
                response = .failure(error)
            }
            await client.close()
            return response
        }.value
        switch response {
        case .success(let response):
            let text = String(decoding: response.body, as: UTF8.self)
            let isReady = response.status == .ok
            if output.json {
                let reason = isReady ? nil : text.trimmingCharacters(in: .newlines)
                print(try Report(isReady: isReady, reason: reason).jsonText)
            } else {
                print(text, terminator: "")
            }
            if !isReady { throw ExitCode.failure }
        case .failure(let error):
            throw OperatorError("No response from \(address): \(error)")
        }
    }
}

extension AdminAddress {
    fileprivate func request(_ path: String) -> ClientRequest {
        var request = ClientRequest(.get, "", timeout: .seconds(2))
        switch self {
        case .unix(let socket):
            request.url = "http://localhost\(path)"
            request.unixSocket = socket
        case .internet(let host, let port):
            request.url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
        }
        return request
    }
}
