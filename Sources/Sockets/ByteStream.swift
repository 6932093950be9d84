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

    private let descriptor: Int32
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

    /// The most bytes to read in one turn, so that a peer that sends without end does not hold the
    /// loop.
    private static let readBudget = 262_144

    /// - Parameter inputLimit: The most bytes to hold that the delegate does not consume.
    public init(
        _ socket: consuming AcceptedSocket, on loop: EventLoop, inputLimit: Int
    ) throws(SystemError) {
        descriptor = socket.take()
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
        if isDelivering, body.count < Self.copiedBodyLimit {
            // More may come of the same turn.
            loop.output.append { $0 += body }
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
        if isOpen, outputCount == 0, isFinishing { shutdown(descriptor, Int32(SHUT_WR)) }
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
        if isFinishing { shutdown(descriptor, Int32(SHUT_WR)) }
        delegate?.streamDrained()
    }

    private func send(_ head: [UInt8], _ body: [UInt8]) -> Int {
        head.withUnsafeBytes { head in body.withUnsafeBytes { body in send(head, body) } }
    }

    /// - Returns: How many bytes the kernel took.
    private func send(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Int {
        var total = 0
        while isOpen, mayWrite, total < head.count + body.count {
            let written = sendOnce(
                UnsafeRawBufferPointer(rebasing: head[min(total, head.count)...]),
                UnsafeRawBufferPointer(rebasing: body[max(0, total - head.count)...]))
            if written >= 0 {
                total += written
            } else if errno == EAGAIN {
                mayWrite = false
            } else if errno != EINTR {
                fail(SystemError(call: "send"))
            }
        }
        return total
    }

    private func sendOnce(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
    ) -> Int {
        guard body.count > 0 else {
            return Glibc.send(descriptor, head.baseAddress, head.count, Int32(MSG_NOSIGNAL))
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count)
            parts[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = 2
            return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
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
        if outputCount == 0 { shutdown(descriptor, Int32(SHUT_WR)) }
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
        if !readiness.isDisjoint(with: [.readable, .readEnded, .failed]) {
            mayRead = true
            if !readiness.isDisjoint(with: [.readEnded, .failed]) { sawReadEnd = true }
            if !isDelivering { readAvailable() }
        }
        if readiness.contains(.writable) {
            mayWrite = true
            flush()
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
            let count = recv(descriptor, loop.scratch.baseAddress, room, 0)
            if count > 0 {
                budget -= count
                // epoll(7): a short read means that the kernel's buffer is empty. Not so if the
                // end was reported, which shows only by reading on.
                if count < room, !sawReadEnd { mayRead = false }
                receive(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            } else if count == 0 {
                hasReadEnd = true
                delegate?.streamReachedEnd()
            } else if errno == EAGAIN {
                mayRead = false
            } else if errno != EINTR {
                fail(SystemError(call: "recv"))
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
        if holdsLoopOutput {
            holdsLoopOutput = false
            loop.output.clear()
        }
        loop.cancel(registration)
        Glibc.close(descriptor)
        output = []
        sent = 0
        input = []
        delegate = nil
    }
}
