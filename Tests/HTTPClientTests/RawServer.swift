import Sockets
import TestSupport

/// Responds to every connection's first bytes with the same bytes, whatever they are, and closes.
struct RawServer: Sendable {
    let url: String
    let accepted = Recorder<Int>()
    private let loop: EventLoop
    private let listener = OnLoop<Listener?>(nil)

    /// - Parameter response: `nil` to stay silent and open.
    static func run<Result>(
        _ response: String?, _ body: (RawServer) async throws -> Result
    ) async throws -> Result {
        try await withLoop { loop in
            let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
            let socket = try ListeningSocket(address)
            let server = RawServer(
                url: "http://127.0.0.1:\(socket.address.port ?? 0)/", loop: loop)
            let connections = OnLoop<[RawConnectionDelegate]>([])
            try await onLoop(loop) {
                server.listener.value = try Listener(socket, on: loop) { accepted in
                    server.accepted.record(1)
                    guard
                        let stream = try? ByteStream(accepted, on: loop, inputLimit: 65_536)
                    else { return }
                    connections.value.append(RawConnectionDelegate(stream, response))
                }
            }
            let result = await Swift.Result { try await OnLoop(body(server)) }
            try await onLoop(loop) {
                server.listener.value?.close()
                server.listener.value = nil
                for connection in connections.value { connection.stream.close() }
                connections.value = []
            }
            return try result.get().value
        }
    }
}

private final class RawConnectionDelegate: ByteStreamDelegate {
    let stream: ByteStream
    private let response: String?

    init(_ stream: ByteStream, _ response: String?) {
        self.stream = stream
        self.response = response
        stream.delegate = self
    }

    func streamReceived(_ bytes: Span<UInt8>) -> Int {
        if let response {
            stream.write { $0 += response.utf8 }
            stream.finishWriting()
        }
        return bytes.count
    }

    func streamReachedEnd() { stream.close() }
    func streamDrained() {}
    func streamIsInClearText() { stream.close() }
    func streamFailed(_ error: SystemError) {}
}
