@testable import HTTPServer

/// What `Connection` does when something happens.
extension ConnectionSimulation {
    // MARK: Events of the stream

    func streamReceived(_ count: Int) -> Int {
        guard !state.isLingering else {
            discarded += count
            if discarded > limits.lingerBytes { self.count("sends too much after the end") }
            perform(state.discards(count))
            expect(isClosed == (discarded > limits.lingerBytes), "\(discarded) bytes are discarded")
            return count
        }
        let consumed = takeRequests(count)
        sendWritten()
        let holdsRest = consumed < count && breakage != .forgetsRest
        perform(
            state.deliveryEnds(
                in: parser.part, holdsRest: holdsRest, output: stream.outputCount))
        return consumed
    }

    func streamIsInClearText() {
        guard state.isReading else { return }
        count("in clear text")
        refuseNow(.inClearText)
        check()
    }

    func streamReachedEnd() {
        count("ends while \(phase)")
        let isResponding = outstanding != nil || admitting != nil
        let wasIdle = isIdle
        guard breakage != .ignoresEnd else { return }
        perform(state.clientEnds())
        expect(!isResponding || tasks.allSatisfy(\.isCancelled), "a task isn't cancelled")
        expect(!wasIdle || (isClosed && !stream.isFinishing), "not closed at once")
    }

    func streamDrained() {
        count("output drains")
        isHeldBack = false
        let wasIdle = isIdle
        perform(state.outputDrains())
        guard isDraining, wasIdle else { return }
        count("output drains at last")
        expect(stream.isFinishing, "it goes on though it is drained")
    }

    func turnContinues() {
        guard loopOwesTurn else { return }
        loopOwesTurn = false
        perform(state.turnContinues())
        check()
    }

    // MARK: Events of the server

    func turnComes() {
        guard let request = queued else { return }
        count("turn comes")
        queued = nil
        active += 1
        start(request)
        performNext()
        check()
    }

    func timePassed() {
        let wait = place?.wait
        let hasRead = stream.outputCount < outputAtCount
        let arrived = parser.bodyCount - bodyAtCheck
        countOutput()
        switch state.timePassed(hasRead: hasRead, bodyCount: parser.bodyCount) {
        case .waitAgain(let again):
            expect(again == wait, "waits for something else")
            expect(
                again == .reader ? hasRead : arrived >= limits.bodyBytesPerTimeout,
                "a client that is too slow may go on")
            if again == .body { bodyAtCheck = parser.bodyCount }
            count("\(again) may go on")
            place = (again, now)
        case .refuse(let error):
            expect(
                wait == .header || wait == .body || wait == .turn, "refused while \(wait as Any)")
            expect(
                wait != .body || arrived < limits.bodyBytesPerTimeout || !isCounted,
                "a client that is fast enough is refused")
            expect(
                error.reason == (wait == .turn ? .overloaded : .requestTimeout),
                "refused as \(error.reason) while \(wait as Any)")
            count("\(wait.map { "\($0)" } ?? "none") times out")
            refuseNow(error)
        case .close:
            let mayClose: Set<Wait?> = [.firstRequest, .request, .reader, .end, .refusedEnd]
            expect(mayClose.contains(wait), "closed while \(wait as Any)")
            expect(wait != .reader || !hasRead, "a slow reader is cut off")
            count("\(wait.map { "\($0)" } ?? "none") times out")
            close()
        }
    }

    func drain() {
        count("drained while \(phase)")
        isDraining = true
        if breakage != .ignoresDrain { state.drains() }
        if state.isReading { readNow() }
        check()
    }

    func closeIfIdle() {
        let mustClose = isIdle && stream.arrived == 0
        if state.isReading { readNow() }
        let mayClose = isIdle || isClosed
        if state.isIdle { close() }
        expect(isClosed || !mustClose, "an idle connection is not closed")
        expect(!isClosed || mayClose, "a connection is closed that is not idle")
        count(isClosed ? "closed because it is idle" : "not closed because it is not idle")
        check()
    }

    func close() {
        guard state.isOpen else { return }
        state.closes()
        releaseBody()
        queued = nil
        if breakage != .forgetsTask { cancelTasks() }
        unsent += state.outputChanges(to: 0)
        closeStream()
        place = nil
        isClosed = true
    }

    func cancelTasks() {
        for index in tasks.indices { tasks[index].isCancelled = true }
    }

    // MARK: Events of the responder

    /// The responder has looked for the response.
    func recollect(isFound: Bool) {
        guard let number = recalled else { return }
        recalled = nil
        expect(state.isRecalling == !isClosed, "it doesn't wait for its memory")
        guard state.isRecalling else { return count("recalled too late") }
        count(isFound ? "recalled" : "not recalled")
        if isFound { finish(number) } else { make(number) }
        performNext()
        check()
    }

    /// The oldest task has ended.
    func endTask() {
        guard !tasks.isEmpty else { return }
        let task = tasks.removeFirst()
        if isClosed { count(task.isAdmission ? "admission too late" : "response too late") }
        if task.isAdmission {
            admitting = nil
            if random.chance(50) {
                if !isClosed { count("body is not admitted") }
                finish(task.message, refusesBody: true)
            } else {
                if !isClosed { count("body is admitted") }
                perform(state.bodyIsAdmitted())
            }
        } else {
            if !isClosed { count("made") }
            finish(task.message)
            active -= 1
        }
        performNext()
        check()
    }
}
