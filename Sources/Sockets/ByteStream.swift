import Encodings

/// Receives the events of a `ByteStream`, always on its loop.
public protocol ByteStreamDelegate: AnyObject {
    /// Called with received bytes, which begin with the unconsumed bytes of the previous call.
    ///
    /// - Returns: How many bytes, from the beginning, the delegate has consumed. The stream holds
    ///   the others until the next call.
    func streamReceived(_ bytes: Span<UInt8>) -> Int

    /// Called when the peer has finished sending. No more bytes will follow the unconsumed ones.
    /// Writing still works.
    func streamReachedEnd()

    /// Called when a peer that must begin with a TLS handshake speaks in clear text instead. After
    /// that, the stream receives and sends in clear text too.
    func streamIsInClearText()

    /// Called when the kernel has taken all pending output. Not called if it took everything at
    /// once.
    func streamDrained()

    /// Called when the connection has failed and the stream is closed. Not called after `close()`.
    func streamFailed(_ error: SystemError)
}

/// A connected socket with a bounded buffer for input and a buffer for output.
///
/// Reading stops while the delegate leaves `inputLimit` bytes unconsumed; the kernel then applies
/// back pressure to the peer. The output buffer has no bound, so the stream's owner must bound it
/// by writing only while `outputCount` is small. Output written during a delivery of input is sent
/// together, by `sendWritten()` or when the delivery ends. All other output is sent at once.
///
/// Confined to its loop. The loop retains an open stream, and the stream retains its delegate.
public final class ByteStream: ReadinessHandler, NextTurnHandler {
    public let loop: EventLoop
    /// Retained until the stream is closed.
    public var delegate: (any ByteStreamDelegate)?

    /// Until the stream is closed.
    private var transport: Transport?
    private var usesTLS: Bool
    private let inputLimit: Int
    private var registration: DescriptorRegistration?
    private var input: [UInt8] = []
    private var consumed = 0
    /// Output that the kernel did not take at once. It has since taken the first `sent` bytes.
    private var output: [UInt8] = []
    private var sent = 0
    private var mayRead = false
    private var mayWrite = true
    private var hasReadEnd = false
    private var sawReadEnd = false
    private var isDelivering = false
    /// Whether the pending bytes in the loop's buffer belong to this stream.
    private var holdsLoopOutput = false
    private var awaitsNextTurn = false
    private var isFinishing = false
    private var hasFinished = false

    /// The most bytes to read in one turn, so that a peer that never stops sending does not hold up
    /// the loop.
    private static let readBudget = 262_144

    /// - Parameters:
    ///   - inputLimit: The most unconsumed bytes that the stream holds.
    ///   - tls: If given, the peer must begin with a TLS handshake, and all bytes are received and
    ///     sent through TLS.
    public init(
        _ socket: consuming AcceptedSocket, on loop: EventLoop, inputLimit: Int,
        tls: TLSServer? = nil
    ) throws(SystemError) {
        let session = try tls.map { tls throws(SystemError) in
            try TLSConnection(tls, descriptor: socket.descriptor.number)
        }
        let number = socket.descriptor.number
        transport = Transport(descriptor: socket.descriptor, tls: session)
        usesTLS = session != nil
        self.loop = loop
        self.inputLimit = inputLimit
        registration = try loop.register(
            number, for: [.readable, .writable, .readEnded], trigger: .edge, handler: self)
    }

    deinit { close() }

    public var isOpen: Bool { registration != nil }

    /// How many bytes are still to be sent.
    public var outputCount: Int {
        output.count - sent + (holdsLoopOutput ? loop.output.bytes.count : 0)
    }

    /// Whether the stream holds received bytes that the delegate has not consumed.
    var hasInput: Bool { !input.isEmpty }

    /// Whether the peer has finished sending and everything that it sent has been read.
    public var hasEnded: Bool { hasReadEnd }

    // MARK: Writing

    /// Appends bytes to the output, followed by `body`.
    public func write(body: [UInt8] = [], _ append: (inout [UInt8]) -> Void) {
        guard isOpen else { return }
        guard output.isEmpty, holdsLoopOutput || loop.output.isEmpty else {
            append(&output)
            output += body
            return flush()
        }
        loop.output.append(append)
        holdsLoopOutput = true
        // The rest of this delivery may write more, which can then be sent together with this.
        let mayWait = isDelivering && body.count < Self.copiedBodyLimit
        // TLS copies the bytes in any case, so that one buffer is better than two.
        if mayWait || usesTLS {
            loop.output.append { $0 += body }
            if !mayWait { flushLoopOutput() }
        } else {
            flushLoopOutput(body)
        }
    }

    /// A body of at least this size is sent at once, straight from its own memory unless TLS copies
    /// it anyway.
    private static let copiedBodyLimit = 4096

    /// Sends the output written so far during a delivery. Afterwards `outputCount` is the number of
    /// bytes that the kernel has not taken.
    public func sendWritten() { flushLoopOutput() }

    /// Sends the contents of the loop's buffer, followed by `body`, and buffers the part that the
    /// kernel does not take.
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

    /// Sends the pending output, or as much of it as the kernel takes.
    private func flush() {
        guard mayWrite, isOpen, sent < output.count else { return }
        // Retains the buffer, because a failure closes the stream, which drops `output`.
        let held = output
        let start = sent
        sent += send(held.span.extracting(start...), Span())
        guard isOpen else { return }
        guard sent == held.count else { return dropSentOutput() }
        sent = 0
        output = []
        if isFinishing { finish() }
        delegate?.streamDrained()
    }

    private func send(_ head: [UInt8], _ body: [UInt8]) -> Int { send(head.span, body.span) }

    /// - Returns: How many bytes the kernel took.
    private func send(_ head: Span<UInt8>, _ body: Span<UInt8>) -> Int {
        var total = 0
        while isOpen, mayWrite, total < head.count + body.count {
            let transfer = transport?.send(
                head.extracting(min(total, head.count)...),
                body.extracting(max(0, total - head.count)...))
            switch transfer {
            case .moved(let count, _): total += count
            case .blocked, .ended, .inClearText, nil: mayWrite = false
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

    /// Tells the peer that the output has ended, once all of it has been sent. Nothing may be
    /// written after this.
    public func finishWriting() {
        guard isOpen, !isFinishing else { return }
        isFinishing = true
        if outputCount == 0 { finish() }
    }

    private func finish() {
        if !hasFinished { hasFinished = transport?.finishSending() ?? true }
    }

    // MARK: Reading

    /// Delivers the bytes that the stream and the kernel hold, until the delegate leaves some
    /// unconsumed. Call this when a delegate that left bytes unconsumed can take them.
    public func resumeReading() {
        guard isOpen, !isDelivering else { return }
        if !input.isEmpty { deliverInput() }
        readAvailable()
    }

    /// Like `resumeReading()`, but also reads bytes that the kernel has not reported yet.
    public func readNow() {
        mayRead = true
        resumeReading()
    }

    public func descriptorIsReady(_ readiness: Readiness) {
        // Through TLS, receiving may have to wait until the descriptor is writable, and sending until it
        // is readable.
        if !readiness.isDisjoint(with: [.readable, .readEnded, .failed]) || usesTLS {
            mayRead = true
            if !readiness.isDisjoint(with: [.readEnded, .failed]) { sawReadEnd = true }
            if !isDelivering { readAvailable() }
        }
        if readiness.contains(.writable) || usesTLS {
            mayWrite = true
            if outputCount > 0 { flush() } else if isFinishing, isOpen { finish() }
        }
    }

    public func turnContinues() {
        awaitsNextTurn = false
        if !isDelivering { readAvailable() }
    }

    private var isReading: Bool {
        isOpen && mayRead && !hasReadEnd && input.count - consumed < inputLimit
    }

    private func readAvailable() {
        guard isReading else { return }
        var scratch = loop.takeScratch()
        defer { loop.giveBack(scratch: scratch) }
        var budget = Self.readBudget
        while isReading {
            guard budget > 0 else { return continueNextTurn() }
            let limit = min(scratch.count, inputLimit - (input.count - consumed))
            var room = scratch.mutableSpan
            switch transport?.receive(into: &room, limit: limit) {
            case .moved(let count, let mayContinue):
                // Through TLS, a peer can send much that is not part of its message, so every read
                // uses up some of the budget.
                budget -= max(count, 1024)
                // Once the kernel has reported the end of the input, only reading on reaches it.
                if !mayContinue, !sawReadEnd { mayRead = false }
                guard count > 0 else { continue }
                receive(scratch.span.extracting(..<count))
            case .blocked, nil: mayRead = false
            case .ended:
                hasReadEnd = true
                delegate?.streamReachedEnd()
            case .inClearText:
                transport?.tls = nil
                usesTLS = false
                mayWrite = true
                delegate?.streamIsInClearText()
                flush()
            case .failed(let error): fail(error)
            }
        }
    }

    private func continueNextTurn() {
        guard !awaitsNextTurn else { return }
        awaitsNextTurn = true
        loop.atNextTurn(self)
    }

    private func receive(_ bytes: Span<UInt8>) {
        guard input.isEmpty else {
            input.removeFirst(consumed)
            consumed = 0
            input.append(copying: bytes)
            return deliverInput()
        }
        let used = deliver(bytes)
        if isOpen, used < bytes.count { input.append(copying: bytes.extracting(used...)) }
    }

    private func deliverInput() {
        // Retains the buffer, because the delegate may close the stream, which drops `input`.
        let held = input
        consumed += deliver(held.span.extracting(consumed...))
        guard consumed >= input.count else { return }
        consumed = 0
        input = []
    }

    private func deliver(_ bytes: Span<UInt8>) -> Int {
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

    /// Closes the connection at once, and drops unsent output. Does nothing if the stream is
    /// closed.
    public func close() {
        guard let registration else { return }
        self.registration = nil
        let isWhole = outputCount == 0
        if holdsLoopOutput {
            holdsLoopOutput = false
            loop.output.clear()
        }
        loop.cancel(registration)
        transport.take()?.close(isWhole: isWhole)
        output = []
        sent = 0
        input = []
        delegate = nil
    }
}
