import Foundation
import Postgres
import Sockets

@testable import Freshness

/// A feed's state, of which one thing may be broken, to see whether the simulation finds that.
struct BreakableFeed {
    enum Breakage: CaseIterable {
        case ignoresServer, ignoresCrash, ignoresTable, ignoresMidnight, ignoresDeletion
        case ignoresLimit, ignoresEverything, trustsStandby, staysRecent, staysFailed
        case missesTable
        case forgetsRunning, beginsTooLate, goesOnAfterLoss
        case takesErrorForResponse, joinsCheckInFlight, tellsCallersFirst, keepsLossToItself
        case answersTwice, forgetsCaller, checksTwiceAtOnce, staysIdle
        case alwaysLosesTrack, deletesEachTime, deletesOnce, neverReconnects, alwaysReconnects
        case gathersForever
    }

    typealias Outcome = FeedState<Int>.Outcome

    let breakage: Breakage?
    private var state = FeedState<Int>()
    private var isInFlight = false
    private var hasFailed = false
    private var hasDeleted = false
    /// Those who came while a check was in flight.
    private var joined: [Int] = []
    /// The first point, which later ones are taken for.
    private var first: Changes.Point?

    init(_ breakage: Breakage?) { self.breakage = breakage }

    mutating func ask(_ caller: Int) -> Bool {
        if breakage == .joinsCheckInFlight, isInFlight {
            joined.append(caller)
            return false
        }
        let starts = state.ask(caller)
        switch breakage {
        case .checksTwiceAtOnce: return starts || isInFlight
        case .staysIdle: return starts && caller % 50 != 7
        default: return starts
        }
    }

    var isTracking: Bool { state.isTracking }

    func recentResponse(at now: MonotonicTime) -> Bool? {
        switch breakage {
        case .staysRecent: state.lastCheck.map { _ in true }
        case .staysFailed where hasFailed: false
        default: state.recentResponse(at: now)
        }
    }

    mutating func next() -> FeedState<Int>.Step {
        let step = state.next()
        guard case .check(let point) = step else { return step }
        isInFlight = true
        guard let point else { return step }
        let snapshot = point.snapshot
        let end = Int(snapshot.end) ?? 0
        switch breakage {
        case .forgetsRunning:
            return .check(since: point.with("\(snapshot.start):\(snapshot.end):"))
        case .beginsTooLate:
            return .check(
                since: point.with("\(snapshot.start):\(end + 1):\(snapshot.running)"))
        default: return step
        }
    }

    mutating func responded(
        _ answer: SimulatedCluster.Answer, at now: MonotonicTime
    ) -> Outcome {
        let outcome = state.responded(response(of: answer), at: now)
        return broken(outcome, isComplete: answer.isComplete)
    }

    /// - Parameter lost: The answer that was lost, if there was one.
    mutating func failed(
        _ error: PostgresError, lost: SimulatedCluster.Answer?, at now: MonotonicTime
    ) -> Outcome {
        hasFailed = true
        if breakage == .goesOnAfterLoss, let lost, !lost.isStandby {
            // Its next question begins where nobody has heard of the answer.
            let outcome = state.responded(response(of: lost), at: now)
            return Outcome(
                deletesChanges: outcome.deletesChanges, finding: nil,
                reconnects: outcome.reconnects, callers: end(outcome.callers), isChecked: false)
        }
        let isMissed = breakage == .missesTable && error.code == .server
        let error = isMissed ? PostgresError(.unavailable) : error
        return broken(state.failed(error, at: now), isComplete: true)
    }

    mutating func gathers() -> Bool { state.gathers() || breakage == .gathersForever }

    private mutating func response(of answer: SimulatedCluster.Answer) -> Changes.Response {
        let isPoint = !answer.isStandby || breakage == .trustsStandby
        if first == nil { first = answer.point }
        return Changes.Response(
            point: isPoint ? seen(answer.point) : nil,
            isComplete: answer.isComplete || breakage == .ignoresDeletion,
            keys: seen(answer.keys))
    }

    private func seen(_ keys: [String]) -> [String] {
        switch breakage {
        case .ignoresLimit: Array(keys.prefix(Changes.limit))
        case .ignoresEverything: keys.filter { $0 != ChangeKey.everything }
        case .alwaysLosesTrack: keys + [ChangeKey.everything]
        default: keys
        }
    }

    private func seen(_ point: Changes.Point) -> Changes.Point {
        guard let first else { return point }
        return Changes.Point(
            snapshot: point.snapshot,
            server: breakage == .ignoresServer ? first.server : point.server,
            crash: breakage == .ignoresCrash || breakage == .ignoresServer
                ? first.crash : point.crash,
            table: breakage == .ignoresTable ? first.table : point.table,
            day: breakage == .ignoresMidnight ? first.day : point.day)
    }

    private mutating func broken(_ outcome: Outcome, isComplete: Bool) -> Outcome {
        var (finding, reconnects) = (outcome.finding, outcome.reconnects)
        if breakage == .keepsLossToItself, case .lostTrack? = finding { finding = nil }
        if breakage == .neverReconnects { reconnects = false }
        if breakage == .alwaysReconnects { reconnects = true }
        var deletesChanges = outcome.deletesChanges
        if breakage == .deletesEachTime { deletesChanges = !isComplete }
        if breakage == .deletesOnce, hasDeleted { deletesChanges = false }
        if deletesChanges { hasDeleted = true }
        return Outcome(
            deletesChanges: deletesChanges, finding: finding, reconnects: reconnects,
            callers: end(outcome.callers),
            isChecked: outcome.isChecked || breakage == .takesErrorForResponse)
    }

    private mutating func end(_ callers: [Int]) -> [Int] {
        isInFlight = false
        defer { joined = [] }
        return switch breakage {
        case .joinsCheckInFlight: callers + joined
        case .answersTwice: callers + callers.suffix(1)
        case .forgetsCaller: callers.count > 2 ? callers.dropLast() : callers
        default: callers
        }
    }
}

extension Changes.Point {
    /// The same point with another snapshot.
    fileprivate func with(_ text: String) -> Changes.Point {
        Changes.Point(
            snapshot: Changes.Snapshot(text) ?? snapshot, server: server, crash: crash,
            table: table, day: day)
    }
}
