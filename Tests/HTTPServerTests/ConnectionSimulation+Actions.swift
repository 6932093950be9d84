@testable import HTTPServer

/// How `Connection` carries out actions, with the simulated stream, parser and responder.
extension ConnectionSimulation {
    // MARK: Actions

    func perform(_ actions: ConnectionState.Actions) {
        fuel -= 1
        guard fuel > 0 else { return }
        var actions = actions
        if let omitted = breakage?.omittedAction { actions.remove(omitted) }
        if actions.contains(.sendContinue) { sendContinue() }
        if actions.contains(.countBody) { countBody() }
        if actions.contains(.askForAdmission) {
            expect(admitting == nil && outstanding == nil, "asks twice")
            admitting = parser.number
            tasks.append(ResponderTask(message: parser.number, isAdmission: true))
        }
        if actions.contains(.cancelTask) { cancelTasks() }
        if actions.contains(.finishWriting) { finishWriting() }
        if actions.contains(.noteWait) { noteWait() }
        if actions.contains(.close) {
            if discarded <= limits.lingerBytes {
                expect(stream.outputCount == 0, "closed while output is pending")
                expect(stream.hasReadEnd, "closed while the client may still send")
            }
            close()
        }
        if actions.contains(.resumeReading) {
            resumeReading()
            perform(state.hasResumed(output: stream.outputCount))
        }
    }

    private func finishWriting() {
        if phase == "reading" {
            expect(stream.hasReadEnd || (isDraining && isIdle), "the last response is missing")
            expect(!parser.consumes(stream.held), "a message is left")
        }
        stream.isFinishing = true
    }

    func performNext() {
        perform(state.nextActions(output: stream.outputCount))
    }

    func noteWait() {
        guard state.isOpen else { return }
        countOutput()
        let current = breakage == .renewsWaits ? nil : place?.wait
        guard let wait = state.newWait(after: current) else { return }
        let isAnother = wait != place?.wait || accepted != acceptedAtWait
        expect(isAnother, "the wait for \(wait) begins again")
        acceptedAtWait = accepted
        place = (wait, now)
        // The server may have too many unsent bytes now, and this client may be the slowest.
        if wait == .reader, random.chance(10) {
            count("closes to bound the output")
            close()
        }
    }

    func countOutput() {
        unsent += state.outputChanges(to: stream.outputCount)
        outputAtCount = stream.outputCount
    }

    // MARK: Requests

    func takeRequests(_ count: Int) -> Int {
        var consumed = 0
        let before = accepted
        while mayParse() {
            fuel -= 1
            guard fuel > 0 else { return consumed }
            expect(phase == "reading", "parses while \(phase)")
            expect(stream.outputCount < ConnectionState.outputHighWater, "parses without room")
            expect(accepted - before < ConnectionState.requestsPerTurn, "parses too much at once")
            do throws(SimulatedParser.Failure) {
                let (taken, event) = try parser.parse(count - consumed)
                consumed += taken
                switch event {
                case .request(let number): respond(number)
                case .head(let number): headIsComplete(parser.messages[number])
                case nil:
                    guard taken == 0 || consumed == count else { break }
                    if parser.hasHead { perform(state.bodyIsIncomplete()) }
                    return consumed
                }
            } catch {
                refuse(.badRequest(.init(.bareCarriageReturn)))
                return count
            }
        }
        return consumed
    }

    private func mayParse() -> Bool {
        if stream.outputCount >= ConnectionState.outputHighWater { sendWritten() }
        if stream.outputCount >= ConnectionState.outputHighWater {
            count("output is held back")
            isHeldBack = true
        }
        switch state.nextStep(output: stream.outputCount) {
        case .parse: return true
        case .awaitTurn:
            expect(!loopOwesTurn, "awaits two turns")
            count("awaits the next turn")
            loopOwesTurn = breakage != .losesTurn
        case .stop where breakage == .parsesAlways: return stream.isOpen && phase != "lingering"
        case .stop: break
        }
        return false
    }

    private func headIsComplete(_ message: SimulatedMessage) {
        bodyAtCheck = 0
        perform(
            state.headerIsComplete(
                announcesLargeBody: message.isLarge, expectsContinue: message.expectsContinue))
    }

    private func countBody() {
        expect(!isCounted, "a body counts twice")
        guard !random.chance(habits.refusedBody) else {
            count("no room for a body")
            return refuse(.overloaded)
        }
        count("a body is counted")
        bodies += 1
        isCounted = true
        perform(state.bodyIsCounted(CountedBody(owner: nil, isLarge: parser.message.isLarge)))
    }

    func releaseBody() {
        guard state.releaseBody() != nil, breakage != .forgetsBody else { return }
        bodies -= 1
        isCounted = false
    }

    private func respond(_ number: Int) {
        expect(outstanding == nil && admitting == nil, "\(number) is accepted too early")
        expect(number == accepted, "\(number) is accepted instead of \(accepted)")
        outstanding = number
        accepted += 1
        state.requestIsComplete()
        if random.chance(habits.memory) {
            count("from memory")
            finish(number)
        } else if random.chance(habits.recall) {
            recalled = number
        } else {
            make(number)
        }
    }

    func make(_ number: Int) {
        guard !random.chance(habits.admission) else {
            active += 1
            return start(number)
        }
        count("queued")
        queued = number
        state.requestIsQueued()
    }

    func start(_ number: Int) {
        state.responseBegins()
        tasks.append(ResponderTask(message: number, isAdmission: false))
    }

    // MARK: Responses

    private func sendContinue() {
        let isNew = continues.insert(parser.number).inserted
        expect(isNew && parser.message.expectsContinue, "continues without need")
        expect(admitting == nil, "continues before the body is admitted")
        expect(phase == "reading" && parser.bodyCount == 0, "continues while \(phase)")
        count("100 Continue")
        write(25)
    }

    func finish(_ number: Int, refusesBody: Bool = false) {
        releaseBody()
        let message = parser.messages[number]
        let closes = random.chance(habits.closing)
        let mayPersist = message.isPersistent && !closes && !isServerEnding && !refusesBody
        var persists = state.responds(mayPersist: mayPersist)
        if persists == false, breakage == .persistsAlways { persists = true }
        if !refusesBody { notes[number, default: 0] += 1 }
        expect((persists == nil) == isClosed, "a response to a client that is gone")
        guard let persists else { return }
        expect(!hasWrittenLast, "a response after the last one")
        expect(refusesBody || outstanding == number, "a response to \(number) now")
        let hasEnded = stream.hasReadEnd && stream.held == 0
        let mustEnd =
            !mayPersist || isDraining || hasEnded || accepted >= limits.requests
        expect(persists == !mustEnd, "persists: \(persists)")
        if message.isHEAD { count("HEAD") }
        if !message.isPersistent { count("asks to close") }
        if closes { count("the responder closes") }
        count(persists ? "persists" : "last response")
        outstanding = nil
        if !refusesBody { responses[number, default: 0] += 1 }
        hasWrittenLast = !persists
        let isBig = random.chance(habits.bigResponse) && !message.isHEAD
        write(isBig ? [5000, 40_000, 200_000][random.below(3)] : 100)
    }

    func refuseNow(_ error: ConnectionError) {
        refuse(error)
        performNext()
    }

    private func refuse(_ error: ConnectionError) {
        count("refused: \(error.reason)")
        expect(!hasWrittenLast && !isClosed, "refused after the end")
        expect(outstanding == queued, "refused while the response is made")
        if let request = queued {
            queued = nil
            outstanding = nil
            responses[request, default: 0] += 1
            notes[request, default: 0] += 1
        }
        hasWrittenLast = true
        state.refuses()
        write(200)
    }
}
