import Sockets
import TestSupport

/// Answers every connection's first bytes with the same bytes, whatever they are, and closes.
struct RawAnswerer: Sendable {
    let url: String
    let accepted = Recorder<Int>()
    private let loop: EventLoop
    private let listener = OnLoop<Listener?>(nil)

    /// - Parameter answer: `nil` to stay silent and open.
    static func run<Result>(
        _ answer: String?, _ body: (RawAnswerer) async throws -> Result
    ) async throws -> Result {
        try await withLoop { loop in
            let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
            let socket = try ListeningSocket(address)
            let answerer = RawAnswerer(
                url: "http://127.0.0.1:\(socket.address.port ?? 0)/", loop: loop)
            let connections = OnLoop<[RawConnectionDelegate]>([])
            try await onLoop(loop) {
                answerer.listener.value = try Listener(socket, on: loop) { accepted in
                    answerer.accepted.record(1)
                    guard
                        let stream = try? ByteStream(accepted, on: loop, inputLimit: 65_536)
                    else { return }
                    connections.value.append(RawConnectionDelegate(stream, answer))
                }
            }
            let result = await Swift.Result { try await OnLoop(body(answerer)) }
            try await onLoop(loop) {
                answerer.listener.value?.close()
                answerer.listener.value = nil
                for connection in connections.value { connection.stream.close() }
                connections.value = []
            }
            return try result.get().value
        }
    }
}

private final class RawConnectionDelegate: ByteStreamDelegate {
    let stream: ByteStream
    private let answer: String?

    init(_ stream: ByteStream, _ answer: String?) {
        self.stream = stream
        self.answer = answer
        stream.delegate = self
    }

    func streamReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let answer {
            stream.write { $0 += answer.utf8 }
            stream.finishWriting()
        }
        return bytes.count
    }

    func streamReachedEnd() { stream.close() }
    func streamDrained() {}
    func streamIsInClearText() { stream.close() }
    func streamFailed(_ error: SystemError) {}
}
