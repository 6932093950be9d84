import Postgres
import Sockets
import TestSupport

@testable import Freshness

/// A feed's state between callers, a cache and a simulated cluster, to which anything may happen at
/// any time. It checks what callers are told and what the feed has its driver do, and notes each
/// fault.
struct FeedSimulation {
    enum Fault: Hashable {
        /// A caller was told that all is known, and an observer did not know of an earlier change.
        case untold
        /// A cached value would be used that was outdated before the caller came.
        case staleValue
        case lostTrackForNothing
        /// Track was lost, or had to be, and the observers were not told.
        case lossNotTold
        /// A caller was told at once of a response or failure that was not recent, or was not told of
        /// one that was.
        case notRecent
        case answeredTwice, notAnswered
        case twoChecks
        case uselessReconnect, missedReconnect
        case uselessDeletion, missedDeletion
        case tooManyTurns
    }

    /// How often each thing happened that makes the simulation worth something.
    enum Event: CaseIterable {
        case callerBegins, callerBefore, callerDuring, callerAfter, callerFromWithin
        case catchUpWithoutCheck, catchUpRefused
        case commit, asynchronousCommit, rollBack, crash, undo, restart, failover, lossInFailover
        case restore, deletion, midnight, tooManyChanges, changeOfEverything
        case answer, lateAnswer, outdatedAnswer, lostAnswer, answerOfStandby, answerWithoutTable
        case changes, noChanges, lostTrack, drop, use
        case deletionOfForeign
        /// A further one of the same day.
        case anotherDeletion
    }

    struct Caller {
        let calledAt: MonotonicTime
        /// Whether it makes a value afterwards.
        let catchesUp: Bool
        var answers: [Bool] = []
    }

    /// A check that was sent.
    struct Flight {
        let point: Changes.Point?
        let sentAt: MonotonicTime
        var hasAnswer = false
        /// `nil` if the statement failed.
        var answer: SimulatedCluster.Answer?
        var commitsSince = 0
        var isOutdated = false
    }

    enum Driver {
        case idle, starting
        case inFlight(Flight)
        case turn(Int)
    }

    var faults: Set<Fault> = []
    var events: [Event: Int] = [:]
    var feed: BreakableFeed
    var cluster = SimulatedCluster()
    var cache = SimulatedCache()
    var random: Random
    var callers: [Caller] = []
    var driver = Driver.idle
    /// The last point that the feed has got, when its check was sent, and when it responded.
    var last: (point: Changes.Point, sentAt: MonotonicTime, at: MonotonicTime)?
    /// When PostgreSQL last failed to respond; `nil` if a usable response has come since.
    var failedAt: MonotonicTime?
    /// The last primary that responded.
    var server: Changes.Server?
    var hasDeleted = false
    /// Whether the feed has asked for a deletion that has not come to PostgreSQL yet.
    var awaitsDeletion = false
    /// Whether no callers come for a while.
    private var isQuiet = false

    init(seed: Int, _ breakage: BreakableFeed.Breakage? = nil, steps: Int = 1_000) {
        random = Random(seed: seed)
        feed = BreakableFeed(breakage)
        for _ in 0..<steps { step() }
        drain()
    }

    mutating func count(_ event: Event, _ number: Int = 1) {
        events[event, default: 0] += number
    }

    // MARK: Steps

    private mutating func step() {
        cluster.pass(.microseconds(1 + random.below(100)))
        if random.chance(5) { isQuiet = false }
        switch random.below(100) {
        case 0..<14: if !isQuiet { for _ in 0...random.below(3) { call(catchesUp: false) } }
        case 14..<24: if !isQuiet { call(catchesUp: true) }
        case 24..<52: drive()
        case 52..<64: goOnFilling()
        case 64..<74: begin()
        case 74..<85: commit()
        case 85: if cluster.runningCount > 0 { rollBack() }
        case 86: cluster.flush()
        case 87..<89: cluster.replicate()
        case 89..<91: loseAnswer()
        case 91: cluster.pass(.milliseconds(random.below(2_000)))
        case 92: disturb()
        case 93: restore()
        case 94: upkeep()
        case 95: isQuiet = true
        case 96..<98: if cluster.contents.table == nil { restore() }
        default: drive()
        }
    }

    private mutating func begin() {
        guard let thing = SimulatedCluster.things.randomElement(using: &random) else { return }
        switch random.below(60) {
        case 0: _ = cluster.begin([thing], nil)
        case 1:
            _ = cluster.begin([thing], (0...Changes.limit).map { "other \($0)" })
        default: _ = cluster.begin([thing], [])
        }
    }

    private mutating func commit() {
        guard cluster.runningCount > 0 else { return }
        let isFlushed = random.chance(60)
        cluster.commit(random.below(cluster.runningCount), isFlushed: isFlushed)
        count(isFlushed ? .commit : .asynchronousCommit)
        if case .inFlight(var flight) = driver, flight.hasAnswer {
            flight.commitsSince += 1
            driver = .inFlight(flight)
        }
    }

    private mutating func rollBack() {
        cluster.rollBack(random.below(cluster.runningCount))
        count(.rollBack)
    }

    /// Something that makes snapshots from before meaningless.
    private mutating func disturb() {
        switch random.below(4) {
        case 0:
            count(.crash)
            if cluster.crashProcess() { count(.undo) }
        case 1:
            count(.restart)
            cluster.restart()
        case 2:
            count(.failover)
            if cluster.failOver() { count(.lossInFailover) }
        default: return
        }
        guard case .inFlight(var flight) = driver else { return }
        flight.isOutdated = flight.hasAnswer
        driver = .inFlight(flight)
        // The connections break. What was sent already may still arrive.
        if random.chance(50) { loseAnswer() }
    }

    private mutating func restore() {
        guard cluster.contents.table != nil else {
            count(.restore)
            let shift = [0, -50, 100, 1_000, 5_000][random.below(5)]
            return cluster.endRestoring(shift: shift, notesEverything: random.chance(30))
        }
        if random.chance(30) { cluster.beginRestoring() } else { cluster.backUp() }
    }

    private mutating func upkeep() {
        switch random.below(4) {
        case 0:
            count(.midnight)
            cluster.turnDay()
        case 1, 2:
            count(.deletion)
            if random.chance(70) { cluster.ageRows() }
            cluster.deleteChanges()
        default:
            if awaitsDeletion, random.chance(80) { cluster.deleteChanges() }
            awaitsDeletion = false
        }
    }

    // MARK: Callers

    /// What a caller who catches up must be told at once; `nil` if it must wait for a check.
    private var recentResponse: Bool? {
        if let failedAt, cluster.now < failedAt + .seconds(1) { return false }
        let isRecent = last.map { cluster.now < $0.at + .milliseconds(1) } ?? false
        return isRecent && feed.isTracking ? true : nil
    }

    mutating func call(catchesUp: Bool) {
        callers.append(Caller(calledAt: cluster.now, catchesUp: catchesUp))
        let number = callers.count - 1
        if catchesUp {
            let response = feed.recentResponse(at: cluster.now)
            if response != recentResponse { faults.insert(.notRecent) }
            if let response {
                count(response ? .catchUpWithoutCheck : .catchUpRefused)
                return tell(number, response, knowing: last?.sentAt ?? cluster.now)
            }
        }
        let starts = feed.ask(number)
        switch driver {
        case .idle:
            count(.callerBegins)
            if starts { driver = .starting }
            return
        case .starting: count(.callerBefore)
        case .inFlight: count(.callerDuring)
        case .turn: count(.callerAfter)
        }
        if starts { faults.insert(.twoChecks) }
    }

    /// - Parameter time: The observers must know of what changed before then.
    mutating func tell(_ number: Int, _ isChecked: Bool, knowing time: MonotonicTime) {
        callers[number].answers.append(isChecked)
        if callers[number].answers.count > 1 { faults.insert(.answeredTwice) }
        guard isChecked else { return }
        if cluster.untold.contains(where: { $0.at < time }) { faults.insert(.untold) }
        if callers[number].catchesUp {
            let things = SimulatedCluster.things + [ChangeKey.today]
            cache.begin(things[random.below(things.count)])
            return
        }
        for (thing, version) in cache.current {
            count(.use)
            if !cluster.had(version, of: thing, since: time) { faults.insert(.staleValue) }
        }
    }

    private mutating func goOnFilling() {
        guard let thing = cache.filling.randomElement(using: &random) else { return }
        cache.goOn(thing, version: cluster.version(of: thing))
    }
}
