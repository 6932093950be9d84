import Encodings
import Glibc
import Synchronization
import TestSupport

@testable import Sockets

/// What a stream's delegate was told. The closures run on the loop.
// @unchecked: the closures are set before the stream stands, everything else has a lock.
final class StreamRecorder: ByteStreamDelegate, @unchecked Sendable {
    let events = Recorder<String>()
    private let bytes = Mutex<[UInt8]>([])
    private let largest = Mutex(0)
    weak var stream: ByteStream?
    var onReceive: (ByteStream, [UInt8]) -> Int = { $1.count }
    var onDrained: (ByteStream) -> Void = { _ in }
    var onEnd: (ByteStream) -> Void = { _ in }

    var received: [UInt8] { bytes.withLock { $0 } }
    var text: String { String(decoding: received, as: UTF8.self) }
    /// The most bytes that stood before the delegate at once.
    var largestDelivery: Int { largest.withLock { $0 } }

    func streamReceived(_ bytes: Span<UInt8>) -> Int {
        largest.withLock { $0 = max($0, bytes.count) }
        guard let stream else { return bytes.count }
        let bytes = Array(copying: bytes)
        let count = onReceive(stream, bytes)
        self.bytes.withLock { $0 += bytes.prefix(count) }
        return count
    }

    func streamReachedEnd() {
        events.record("end")
        if let stream { onEnd(stream) }
    }

    func streamDrained() {
        events.record("drained")
        if let stream { onDrained(stream) }
    }

    func streamIsInClearText() { events.record("in clear text") }

    func streamFailed(_ error: SystemError) { events.record("failed: \(error.call)") }
}

/// A stream on a loop of its own, and the peer at its other end.
struct StreamFixture: Sendable {
    let loop: EventLoop
    let peer: Peer
    let recorder: StreamRecorder
    private let stream: OnLoop<ByteStream?>

    /// `narrow` is a unix-domain socket through which the stream sends little at once.
    enum Kind { case unix, narrow, tcp }

    /// A server with the certificate that all tests share.
    static func tlsServer() throws -> TLSServer {
        let shared = TestCertificate.shared
        return try TLSServer(
            [TLSCertificate(chain: shared.certificate, key: shared.key)])
    }

    static func run<Result>(
        _ kind: Kind = .unix, inputLimit: Int = 65_536, tls: TLSServer? = nil,
        configure: (StreamRecorder) -> Void = { _ in },
        _ body: (StreamFixture) async throws -> Result
    ) async throws -> Result {
        try await withLoop { loop in
            let recorder = StreamRecorder()
            configure(recorder)
            let (peer, descriptor) = try await connect(kind, loop)
            let stream = try await onLoop(loop) {
                let stream = try ByteStream(
                    AcceptedSocket(descriptor: descriptor), on: loop, inputLimit: inputLimit,
                    tls: tls)
                recorder.stream = stream
                stream.delegate = recorder
                return OnLoop<ByteStream?>(stream)
            }
            let fixture = StreamFixture(loop: loop, peer: peer, recorder: recorder, stream: stream)
            let result = await Swift.Result { try await OnLoop(body(fixture)) }
            try await onLoop(loop) {
                stream.value?.close()
                stream.value = nil
            }
            return try result.get().value
        }
    }

    private static func connect(
        _ kind: Kind, _ loop: EventLoop
    ) async throws -> (Peer, Int32) {
        guard kind == .tcp else {
            let pair = try Peer.pair()
            var size: Int32 = 1
            if kind == .narrow {
                setsockopt(pair.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(4))
            }
            return (pair.peer, pair.descriptor)
        }
        let socket = try ListeningSocket(SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
        let accepted = Recorder<Int32>()
        let listener = OnLoop<Listener?>(nil)
        try await onLoop(loop) {
            listener.value = try Listener(socket, on: loop) { accepted.record($0.take()) }
        }
        let peer = try Peer(connectingTo: socket.address)
        try await eventually { accepted.count == 1 }
        try await onLoop(loop) { listener.value?.close() }
        return (peer, accepted.elements[0])
    }

    /// Runs `body` on the loop.
    func with<Result: Sendable>(
        _ body: @escaping @Sendable (ByteStream) throws -> Result
    ) async throws -> Result {
        try await onLoop(loop) { [stream] in
            guard let stream = stream.value else { throw TestFailure("no stream") }
            return try body(stream)
        }
    }
}
