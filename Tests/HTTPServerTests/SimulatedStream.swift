/// What a simulated `ByteStream`, and the kernel beneath it, hold. All of these are numbers of bytes.
struct SimulatedStream {
    var isOpen = true
    /// Sent by the client, and not read yet.
    var arrived = 0
    /// Whether the kernel has said that there is something to read.
    var mayRead = false
    /// Read, and not consumed.
    var held = 0
    var clientHasEnded = false
    var hasReadEnd = false
    var isReset = false
    var isDelivering = false
    /// Written in the current delivery, and not yet offered to the kernel.
    var written = 0
    /// What the kernel has not taken.
    var pending = 0
    /// How much more the kernel takes.
    var room = 0
    var isFinishing = false

    var outputCount: Int { written + pending }
}

/// What the stream does, with the connection as its delegate.
extension ConnectionSimulation {
    // MARK: Reading

    func streamIsReadable() {
        stream.mayRead = true
        readAvailable()
        check()
    }

    func readNow() {
        stream.mayRead = true
        resumeReading()
    }

    func resumeReading() {
        guard stream.isOpen, !stream.isDelivering else { return }
        if stream.held > 0 { deliverHeld() }
        readAvailable()
    }

    private func readAvailable() {
        while stream.isOpen, stream.mayRead, !stream.hasReadEnd, stream.held < Self.inputLimit {
            guard stream.arrived > 0 else {
                stream.mayRead = false
                guard stream.clientHasEnded else { return }
                stream.hasReadEnd = true
                return streamReachedEnd()
            }
            let most = min(stream.arrived, Self.inputLimit - stream.held)
            let count = random.chance(50) ? most : 1 + random.below(most)
            stream.arrived -= count
            stream.held += count
            if stream.held == count {
                // The stream keeps only what is left over.
                stream.held = 0
                let used = deliver(count)
                if stream.isOpen { stream.held = count - used }
            } else {
                deliverHeld()
            }
        }
    }

    private func deliverHeld() {
        let used = deliver(stream.held)
        if stream.isOpen { stream.held -= used }
    }

    private func deliver(_ count: Int) -> Int {
        stream.isDelivering = true
        let used = streamReceived(count)
        stream.isDelivering = false
        sendWritten()
        return used
    }

    // MARK: Writing

    func write(_ count: Int) {
        guard stream.isOpen else { return }
        expect(!stream.isFinishing, "something is written after the end")
        guard stream.pending == 0 else {
            stream.pending += count
            return
        }
        stream.written += count
        if !stream.isDelivering || count >= 4096 { sendWritten() }
    }

    func sendWritten() {
        guard stream.isOpen, stream.written > 0 else { return }
        guard !stream.isReset else { return streamFails() }
        let taken = min(stream.room, stream.written)
        stream.room -= taken
        stream.pending += stream.written - taken
        stream.written = 0
    }

    func streamIsWritable() {
        guard stream.pending > 0, stream.isOpen else { return }
        let taken = min(stream.room, stream.pending)
        stream.room -= taken
        stream.pending -= taken
        if stream.pending == 0 { streamDrained() }
    }

    func streamFails() {
        closeStream()
        close()
    }

    func closeStream() {
        stream.isOpen = false
        stream.arrived = 0
        stream.held = 0
        stream.written = 0
        stream.pending = 0
    }
}
