import Testing

@testable import Freshness

@Suite("A random day of a feed")
struct FeedSimulationTests {
    @Test(
        "tells each caller once, after the observers know of every earlier change",
        arguments: 0..<200)
    func invariants(seed: Int) {
        #expect(FeedSimulation(seed: seed).faults == [])
    }

    @Test("meets whatever can become of a check, and mostly keeps track")
    func coverage() {
        var events: [FeedSimulation.Event: Int] = [:]
        for seed in 0..<200 {
            events.merge(FeedSimulation(seed: seed).events, uniquingKeysWith: +)
        }
        for event in FeedSimulation.Event.allCases {
            #expect(events[event, default: 0] >= 40, "\(event)")
        }
        #expect(events[.answer, default: 0] > 5_000)
        #expect(events[.changes, default: 0] > events[.lostTrack, default: 0])
    }

    @Test(
        "is found to be broken in each of the listed ways",
        arguments: BreakableFeed.Breakage.allCases)
    func breakages(_ breakage: BreakableFeed.Breakage) {
        var faults: Set<FeedSimulation.Fault> = []
        for seed in 0..<50 { faults.formUnion(FeedSimulation(seed: seed, breakage).faults) }
        #expect(faults.isSuperset(of: breakage.faults), "\(faults)")
    }
}

extension BreakableFeed.Breakage {
    /// What it comes to.
    fileprivate var faults: Set<FeedSimulation.Fault> {
        switch self {
        case .ignoresCrash, .ignoresTable, .ignoresDeletion, .ignoresLimit, .ignoresEverything,
            .joinsCheckInFlight:
            [.untold]
        case .ignoresServer, .trustsStandby: [.untold, .missedReconnect]
        case .ignoresMidnight, .forgetsRunning, .beginsTooLate, .goesOnAfterLoss,
            .takesErrorForResponse, .tellsCallersFirst, .keepsLossToItself:
            [.untold, .staleValue]
        case .answersTwice: [.answeredTwice]
        case .forgetsCaller, .staysIdle: [.notAnswered]
        case .checksTwiceAtOnce: [.twoChecks]
        case .alwaysLosesTrack: [.lostTrackForNothing]
        case .missesTable: [.lossNotTold]
        case .staysRecent, .staysFailed: [.notRecent]
        case .deletesEachTime: [.uselessDeletion]
        case .deletesOnce: [.missedDeletion]
        case .neverReconnects: [.missedReconnect]
        case .alwaysReconnects: [.uselessReconnect]
        case .gathersForever: [.tooManyTurns]
        }
    }
}
