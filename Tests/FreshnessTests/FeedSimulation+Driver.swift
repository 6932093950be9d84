import Postgres
import Sockets
import TestSupport

@testable import Freshness

/// What the feed's driver does.
extension FeedSimulation {
    /// What a check must come to.
    private enum Finding {
        case nothing, sequel, beginning
        /// - Parameter isKnown: Whether there was no track to lose.
        case loss(isKnown: Bool)
    }

    mutating func drive() {
        switch driver {
        case .idle: return
        case .starting: next()
        case .turn(let turn): gather(after: turn)
        case .inFlight(var flight):
            guard flight.hasAnswer else {
                flight.hasAnswer = true
                flight.answer = cluster.answer(since: flight.point, asStandby: random.chance(3))
                driver = .inFlight(flight)
                return
            }
            deliver(flight)
        }
    }

    private mutating func next() {
        switch feed.next() {
        case .rest: driver = .idle
        case .check(let point): driver = .inFlight(Flight(point: point, sentAt: cluster.now))
        }
    }

    private mutating func gather(after turn: Int = 0) {
        guard feed.gathers(), turn < 10 else { return next() }
        if turn >= 4 { faults.insert(.tooManyTurns) }
        driver = .turn(turn + 1)
    }

    mutating func loseAnswer() {
        guard case .inFlight(let flight) = driver else { return }
        count(.lostAnswer)
        let error = PostgresError(random.chance(50) ? .unavailable : .acquisitionTimeout)
        let outcome = feed.failed(error, lost: flight.answer, at: cluster.now)
        failedAt = cluster.now
        perform(outcome, .nothing)
    }

    private mutating func deliver(_ flight: Flight) {
        guard let answer = flight.answer else {
            count(.answerWithoutTable)
            let error = PostgresError(.server, sqlState: "42P01")
            let outcome = feed.failed(error, lost: nil, at: cluster.now)
            failedAt = cluster.now
            return perform(outcome, .loss(isKnown: flight.point == nil))
        }
        count(answer.isStandby ? .answerOfStandby : .answer)
        if flight.commitsSince > 0 { count(.lateAnswer) }
        if flight.isOutdated { count(.outdatedAnswer) }
        if answer.keys.contains(ChangeKey.everything) { count(.changeOfEverything) }
        if answer.keys.count > Changes.limit { count(.tooManyChanges) }
        let isUsable = !answer.isStandby && server.map { $0 == answer.point.server } ?? true
        let isSequel =
            flight.point != nil && answer.isComplete && !answer.isTooMuch
            && last.map { answer.point.continues($0.point) } ?? false
        let outcome = feed.responded(answer, at: cluster.now)
        if answer.isStandby { failedAt = cluster.now } else { server = answer.point.server }
        guard isUsable else {
            return perform(outcome, .loss(isKnown: flight.point == nil), reconnects: true)
        }
        last = (answer.point, flight.sentAt, cluster.now)
        failedAt = nil
        if answer.isComplete { hasDeleted = false }
        let deletes = !answer.isComplete && flight.point != nil && !hasDeleted
        perform(outcome, isSequel ? .sequel : .beginning, deletes: deletes)
    }

    private mutating func perform(
        _ outcome: BreakableFeed.Outcome, _ expected: Finding, reconnects: Bool = false,
        deletes: Bool = false
    ) {
        if outcome.deletesChanges != deletes {
            faults.insert(deletes ? .missedDeletion : .uselessDeletion)
        }
        if outcome.deletesChanges {
            count(events[.deletionOfForeign] == nil ? .deletionOfForeign : .anotherDeletion)
            hasDeleted = true
            awaitsDeletion = true
        }
        if feed.breakage != .tellsCallersFirst { observe(outcome.finding, expected) }
        if outcome.reconnects != reconnects {
            faults.insert(reconnects ? .missedReconnect : .uselessReconnect)
        }
        driver = .turn(0)
        for caller in outcome.callers {
            tell(caller, outcome.isChecked, knowing: callers[caller].calledAt)
            guard random.chance(5) else { continue }
            count(.callerFromWithin)
            call(catchesUp: random.chance(30))
        }
        if feed.breakage == .tellsCallersFirst { observe(outcome.finding, expected) }
        gather()
    }

    private mutating func observe(_ finding: ChangeFeed.Finding?, _ expected: Finding) {
        switch (finding, expected) {
        case (.changed, .sequel), (nil, .nothing), (.lostTrack, .beginning): break
        case (nil, .loss(isKnown: true)), (.lostTrack, .loss(isKnown: false)):
            if feed.isTracking { faults.insert(.lossNotTold) }
        case (.lostTrack, _): faults.insert(.lostTrackForNothing)
        default: faults.insert(.lossNotTold)
        }
        guard let finding else { return }
        cache.note(finding)
        switch finding {
        case .changed(let keys):
            count(keys.isEmpty ? .noChanges : .changes)
            let keys = Set(keys)
            cluster.untold.removeAll { $0.key.map(keys.contains) ?? false }
        case .lostTrack:
            count(.lostTrack)
            cluster.untold = []
        }
    }

    /// Lets the driver end its work.
    mutating func drain() {
        var rounds = 0
        while rounds < 1_000 {
            if case .idle = driver { break }
            rounds += 1
            drive()
        }
        if callers.contains(where: { $0.answers.isEmpty }) { faults.insert(.notAnswered) }
        count(.drop, cache.drops)
    }
}
