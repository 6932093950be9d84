import CLinux
import Glibc

/// What a `ByteStream` tells its owner, always on the loop.
public protocol ByteStreamDelegate: AnyObject {
    /// Bytes have come. They begin with those that were not consumed before.
    ///
    /// - Returns: How many bytes, from the beginning, are used up. The others are kept until the
    ///   next call.
    func streamReceived(_ bytes: UnsafeRawBufferPointer) -> Int

    /// The peer sends nothing more; what the delegate left unconsumed is all there is. Writing
    /// still works.
    func streamReachedEnd()

    /// All that was written has gone to the kernel.
    func streamDrained()

    /// The connection is gone and the stream closed. Not called after `close()`.
    func streamFailed(_ error: SystemError)
}

/// A connected socket with a bounded buffer of received bytes and a buffer of bytes to send.
///
/// Reading stops while the delegate leaves `inputLimit` bytes unconsumed, so that the kernel
/// holds the peer back. The buffer of bytes to send cannot refuse; an owner bounds it by writing
/// only while `outputCount` is small. Writes go out together at the end of the turn.
///
/// Confined to its loop. The loop keeps an open stream alive; `delegate` is weak.
public final class ByteStream: ReadinessHandler, EndOfTurnHandler {
    public let loop: EventLoop
    public weak var delegate: (any ByteStreamDelegate)?
    public let peer: SocketAddress?

    private let transport: Transport
    private let inputLimit: Int
    private var registration: DescriptorRegistration?
    private var input: [UInt8] = []
    private var consumed = 0
    private var output: [UInt8] = []
    private var sent = 0
    private var mayRead = false
    private var mayWrite = true
    private var hasReadEnd = false
    private var sawReadEnd = false
    private var isDelivering = false
    private var awaitsTurnEnd = false
    private var isFinishing = false
    private var hasFinished = false

    /// - Parameters:
    ///   - inputLimit: The most bytes to hold that the delegate does not consume.
    ///   - tls: If given, the peer must begin with a TLS handshake, and what is received and
    ///     written goes through TLS.
    public init(
        _ socket: consuming AcceptedSocket, on loop: EventLoop, inputLimit: Int,
        tls: TLSServer? = nil
    ) throws(SystemError) {
        peer = SocketAddress.peer(of: socket.descriptor)
        if peer?.family != AF_UNIX {
            // Responses are written whole, so waiting to fill a segment only delays them.
            try ListeningSocket.set(
                socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        let session = try tls.map { tls throws(SystemError) in
            try TLSConnection(tls, descriptor: socket.descriptor)
        }
        let descriptor = socket.take()
        transport = Transport(descriptor: descriptor, tls: session)
        self.loop = loop
        self.inputLimit = inputLimit
        do {
            registration = try loop.register(
                descriptor, for: [.readable, .writable, .readEnded], trigger: .edge, handler: self)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    deinit { close() }

    public var isOpen: Bool { registration != nil }

    /// How many bytes wait to be sent.
    public var outputCount: Int { output.count - sent }

    /// Whether received bytes are held that the delegate has not consumed.
    public var hasInput: Bool { !input.isEmpty }

    /// Whether the peer has finished sending and every byte of it was read.
    public var hasEnded: Bool { hasReadEnd }

    // MARK: Writing

    /// Appends bytes to the output; they go out at the end of this turn.
    public func write(_ append: (inout [UInt8]) -> Void) {
        guard isOpen else { return }
        append(&output)
        if !awaitsTurnEnd {
            awaitsTurnEnd = true
            loop.atEndOfTurn(self)
        }
    }

    public func turnEnds() {
        awaitsTurnEnd = false
        flush()
    }

    private func flush() {
        while isOpen, mayWrite, sent < output.count {
            let transfer = output.withUnsafeBytes {
                transport.send(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch transfer {
            case .moved(let count, _): sent += count
            case .blocked, .ended: mayWrite = false
            case .failed(let error): fail(error)
            }
        }
        guard sent > 0, sent == output.count else { return dropSentOutput() }
        sent = 0
        // A large response must not stay reserved on a connection that idles from here on.
        output.removeAll(keepingCapacity: output.capacity <= 16_384)
        if isFinishing { finish() }
        delegate?.streamDrained()
    }

    /// A peer that reads slowly but steadily may never have all: what it has must go all the same.
    private func dropSentOutput() {
        guard sent > 65_536, sent > output.count / 2 else { return }
        output.removeFirst(sent)
        sent = 0
    }

    /// Once what is written has gone, the peer sees the end. Nothing may be written after this.
    public func finishWriting() {
        guard isOpen, !isFinishing else { return }
        isFinishing = true
        if outputCount > 0 { flush() } else { finish() }
    }

    private func finish() {
        if !hasFinished { hasFinished = transport.finishSending() }
    }

    // MARK: Reading

    /// Delivers what is held and what the kernel has, as far as the delegate consumes it.
    /// To be called when a delegate that left bytes behind can take them.
    public func resumeReading() {
        guard isOpen, !isDelivering else { return }
        if !input.isEmpty { deliverInput() }
        readAvailable()
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.readable, .readEnded, .failed]) || transport.retriesBoth {
            mayRead = true
            if !readiness.isDisjoint(with: [.readEnded, .failed]) { sawReadEnd = true }
            if !isDelivering { readAvailable() }
        }
        if readiness.contains(.writable) || transport.retriesBoth {
            mayWrite = true
            if outputCount > 0 { flush() } else if isFinishing, isOpen { finish() }
        }
    }

    private func readAvailable() {
        while isOpen, mayRead, !hasReadEnd, input.count - consumed < inputLimit {
            let room = min(loop.scratch.count, inputLimit - (input.count - consumed))
            switch transport.receive(
                into: UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<room]))
            {
            case .moved(let count, let mayContinue):
                // Once the end was reported, it shows only by reading on.
                if !mayContinue, !sawReadEnd { mayRead = false }
                guard count > 0 else { continue }
                receive(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            case .blocked: mayRead = false
            case .ended:
                hasReadEnd = true
                delegate?.streamReachedEnd()
            case .failed(let error): fail(error)
            }
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard input.isEmpty else {
            input.removeFirst(consumed)
            consumed = 0
            input.append(contentsOf: bytes)
            return deliverInput()
        }
        let used = deliver(bytes)
        if isOpen, used < bytes.count { input.append(contentsOf: bytes[used...]) }
    }

    private func deliverInput() {
        // A copy of the reference: the delegate may close the stream, which drops `input`.
        let held = input
        consumed += held.withUnsafeBytes {
            deliver(UnsafeRawBufferPointer(rebasing: $0[consumed...]))
        }
        guard consumed >= input.count else { return }
        consumed = 0
        input = []
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Int {
        isDelivering = true
        defer { isDelivering = false }
        return delegate?.streamReceived(bytes) ?? bytes.count
    }

    // MARK: Closing

    private func fail(_ error: SystemError) {
        guard isOpen else { return }
        close()
        delegate?.streamFailed(error)
    }

    /// Closes at once; what is unsent is dropped. Does nothing on a closed stream.
    public func close() {
        guard let registration else { return }
        self.registration = nil
        loop.cancel(registration)
        transport.close(isWhole: outputCount == 0)
        output = []
        sent = 0
        input = []
    }
}
