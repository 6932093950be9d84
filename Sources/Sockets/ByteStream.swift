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

    /// All that was written has gone to the kernel, some of it not at once.
    func streamDrained()

    /// The connection is gone and the stream closed. Not called after `close()`.
    func streamFailed(_ error: SystemError)
}

/// A connected socket with a bounded buffer of received bytes and a buffer of bytes to send.
///
/// Reading stops while the delegate leaves `inputLimit` bytes unconsumed, so that the kernel
/// holds the peer back. The buffer of bytes to send cannot refuse; an owner bounds it by writing
/// only while `outputCount` is small. What is written while bytes are delivered goes out together
/// by `sendWritten()` or when they have been, everything else at once.
///
/// Confined to its loop. The loop keeps an open stream alive, and the stream its delegate.
public final class ByteStream: ReadinessHandler, NextTurnHandler {
    public let loop: EventLoop
    /// Kept until the stream is closed.
    public var delegate: (any ByteStreamDelegate)?

    private let transport: Transport
    private let inputLimit: Int
    private var registration: DescriptorRegistration?
    private var input: [UInt8] = []
    private var consumed = 0
    /// What the kernel has not taken yet.
    private var output: [UInt8] = []
    private var sent = 0
    private var mayRead = false
    private var mayWrite = true
    private var hasReadEnd = false
    private var sawReadEnd = false
    private var isDelivering = false
    /// Whether what waits in the loop's buffer is this stream's.
    private var holdsLoopOutput = false
    private var awaitsNextTurn = false
    private var isFinishing = false
    private var hasFinished = false

    /// The most bytes to read in one turn, so that a peer that sends without end does not hold the
    /// loop.
    private static let readBudget = 262_144

    /// - Parameters:
    ///   - inputLimit: The most bytes to hold that the delegate does not consume.
    ///   - tls: If given, the peer must begin with a TLS handshake, and what is received and
    ///     written goes through TLS.
    public init(
        _ socket: consuming AcceptedSocket, on loop: EventLoop, inputLimit: Int,
        tls: TLSServer? = nil
    ) throws(SystemError) {
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

    /// Whether a TLS handshake has to come before anything can be sent.
    public var isHandshaking: Bool { transport.isHandshaking }

    /// How many bytes wait to be sent.
    public var outputCount: Int {
        output.count - sent + (holdsLoopOutput ? loop.output.bytes.count : 0)
    }

    /// Whether received bytes are held that the delegate has not consumed.
    public var hasInput: Bool { !input.isEmpty }

    /// Whether the peer has finished sending and every byte of it was read.
    public var hasEnded: Bool { hasReadEnd }

    // MARK: Writing

    /// Appends bytes to the output, and `body` behind them.
    public func write(body: [UInt8] = [], _ append: (inout [UInt8]) -> Void) {
        guard isOpen else { return }
        guard output.isEmpty, holdsLoopOutput || loop.output.isEmpty else {
            append(&output)
            output += body
            return flush()
        }
        loop.output.append(append)
        holdsLoopOutput = true
        // More may come of the same turn.
        let mayWait = isDelivering && body.count < Self.copiedBodyLimit
        if mayWait || transport.copies {
            loop.output.append { $0 += body }
            if !mayWait { flushLoopOutput() }
        } else {
            flushLoopOutput(body)
        }
    }

    /// A body that is larger goes to the kernel from where it is.
    private static let copiedBodyLimit = 4096

    /// Sends what was written while bytes are delivered; from here on `outputCount` is what the
    /// kernel has not taken.
    public func sendWritten() { flushLoopOutput() }

    /// Sends what the loop's buffer holds, and keeps what the kernel does not take.
    private func flushLoopOutput(_ body: [UInt8] = []) {
        guard holdsLoopOutput else { return }
        holdsLoopOutput = false
        let written = mayWrite ? send(loop.output.bytes, body) : 0
        let headCount = loop.output.bytes.count
        if isOpen, written < headCount + body.count {
            output.append(contentsOf: loop.output.bytes[min(written, headCount)...])
            output.append(contentsOf: body[max(0, written - headCount)...])
        }
        loop.output.clear()
        if isOpen, outputCount == 0, isFinishing { finish() }
    }

    /// Sends all that was kept, or as much as the kernel takes.
    private func flush() {
        guard mayWrite, isOpen, sent < output.count else { return }
        // A copy of the reference: a failure closes the stream, which drops `output`.
        let held = output
        let start = sent
        sent += held.withUnsafeBytes {
            send(
                UnsafeRawBufferPointer(rebasing: $0[start...]),
                UnsafeRawBufferPointer(rebasing: $0[..<0]))
        }
        guard isOpen else { return }
        guard sent == held.count else { return dropSentOutput() }
        sent = 0
        output = []
        if isFinishing { finish() }
        delegate?.streamDrained()
    }

    private func send(_ head: [UInt8], _ body: [UInt8]) -> Int {
        head.withUnsafeBytes { head in body.withUnsafeBytes { body in send(head, body) } }
    }

    /// - Returns: How many bytes the kernel took.
    private func send(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Int {
        var total = 0
        while isOpen, mayWrite, total < head.count + body.count {
            let transfer = transport.send(
                UnsafeRawBufferPointer(rebasing: head[min(total, head.count)...]),
                UnsafeRawBufferPointer(rebasing: body[max(0, total - head.count)...]))
            switch transfer {
            case .moved(let count, _): total += count
            case .blocked, .ended: mayWrite = false
            case .failed(let error): fail(error)
            }
        }
        return total
    }

    /// A slow reader may never drain the buffer, so this releases the part already sent.
    private func dropSentOutput() {
        guard sent > 65_536, sent > output.count / 2 else { return }
        output.removeFirst(sent)
        sent = 0
    }

    /// Once what is written has gone, the peer sees the end. Nothing may be written after this.
    public func finishWriting() {
        guard isOpen, !isFinishing else { return }
        isFinishing = true
        if outputCount == 0 { finish() }
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

    /// Delivers what the kernel has, also what it has not told of yet.
    public func readNow() {
        mayRead = true
        resumeReading()
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

    public func turnContinues() {
        awaitsNextTurn = false
        if !isDelivering { readAvailable() }
    }

    private func readAvailable() {
        var budget = Self.readBudget
        while isOpen, mayRead, !hasReadEnd, input.count - consumed < inputLimit {
            guard budget > 0 else { return continueNextTurn() }
            let room = min(loop.scratch.count, inputLimit - (input.count - consumed))
            switch transport.receive(
                into: UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<room]))
            {
            case .moved(let count, let mayContinue):
                // TLS may take much of the peer that is no byte of its message.
                budget -= max(count, 1024)
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

    private func continueNextTurn() {
        guard !awaitsNextTurn else { return }
        awaitsNextTurn = true
        loop.atNextTurn(self)
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
        let used = delegate?.streamReceived(bytes) ?? bytes.count
        isDelivering = false
        flushLoopOutput()
        return used
    }

    // MARK: Closing

    private func fail(_ error: SystemError) {
        guard isOpen else { return }
        let delegate = delegate
        close()
        delegate?.streamFailed(error)
    }

    /// Closes at once; what is unsent is dropped. Does nothing on a closed stream.
    public func close() {
        guard let registration else { return }
        self.registration = nil
        let isWhole = outputCount == 0
        if holdsLoopOutput {
            holdsLoopOutput = false
            loop.output.clear()
        }
        loop.cancel(registration)
        transport.close(isWhole: isWhole)
        output = []
        sent = 0
        input = []
        delegate = nil
    }
}
