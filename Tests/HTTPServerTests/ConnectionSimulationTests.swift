import TestSupport
import Testing

@testable import HTTPServer

@Suite("Random clients' connections")
struct ConnectionSimulationTests {
    typealias Simulation = ConnectionSimulation

    private static let seeds = 0..<100
    private static let connectionsPerSeed = 20

    private struct Findings {
        var counts: [String: Int] = [:]
        var violations: [String] = []
    }

    private static func run(seed: Int, breakage: Simulation.Breakage? = nil) -> Findings {
        var random = Random(seed: seed)
        var findings = Findings()
        for number in 0..<connectionsPerSeed {
            let simulation = begin(breakage, &random)
            let steps = [50, 500, 2000][random.below(3)]
            for _ in 0..<steps where !simulation.isClosed { step(simulation, &random) }
            end(simulation, reads: random.chance(50))
            findings.counts.merge(simulation.counts, uniquingKeysWith: +)
            findings.violations += simulation.violations.map { "\(number): \($0)" }
        }
        return findings
    }

    private static func begin(
        _ breakage: Simulation.Breakage?, _ random: inout Random
    ) -> Simulation {
        func one<Value>(of values: [Value]) -> Value { values[random.below(values.count)] }
        let isGreedy = random.chance(20)
        // Sends a request only now and then, and reads the responses slowly.
        let isPatient = !isGreedy && random.chance(20)
        let habits = Simulation.Habits(
            fault: one(of: [0, 0, 2]), body: isGreedy ? 0 : one(of: [0, 10, 50, 50]), large: 50,
            closing: isGreedy ? 0 : one(of: [0, 0, 1, 10]),
            sending: isGreedy ? 100 : isPatient ? 10 : one(of: [5, 50, 100]),
            whole: isPatient ? 100 : one(of: [0, 50]),
            memory: isGreedy || isPatient ? 100 : one(of: [20, 60, 98, 100]), recall: 40,
            bigResponse: isGreedy ? one(of: [0, 1]) : isPatient ? 80 : one(of: [0, 3, 30]),
            admission: one(of: [50, 95]), refusedBody: one(of: [0, 0, 20]),
            burst: isGreedy ? 20_000 : isPatient ? 30 : one(of: [30, 300, 20_000]),
            reading: isPatient ? 100 : one(of: [100, 5000, 300_000]), pause: one(of: [0, 1, 1, 6]))
        let limits = ConnectionState.Limits(
            requests: isGreedy ? 1000 : one(of: [20, 200, 1000]),
            lingerBytes: one(of: [500, 100_000]),
            bodyBytesPerTimeout: 50)
        let messages = (0..<400).map { _ in message(habits, &random) }
        return Simulation(
            messages, limits: limits, habits: habits, isRefused: random.chance(2),
            breakage: breakage, random: Random(seed: random.below(1_000_000)))
    }

    private static func message(
        _ habits: Simulation.Habits, _ random: inout Random
    ) -> SimulatedMessage {
        var message = SimulatedMessage()
        message.lines += random.below(3)
        message.isHEAD = random.chance(10)
        message.isPersistent = !random.chance(habits.closing)
        if random.chance(habits.body) {
            message.chunk = random.chance(30) ? 10 : 1
            message.body = 10 * (1 + random.below(40))
            message.isLarge = random.chance(habits.large)
            message.expectsContinue = random.chance(40)
            message.waitsForContinue = message.expectsContinue && random.chance(70)
        }
        if random.chance(habits.fault) {
            message.fault = message.body > 0 && random.chance(50) ? .inBody : .inHeader
        }
        return message
    }

    private static func step(_ simulation: Simulation, _ random: inout Random) {
        let habits = simulation.habits
        let awaitsReader = simulation.isBetweenRequests && simulation.stream.outputCount > 0
        if awaitsReader, random.chance(10) {
            simulation.drain()
            return simulation.clientReads(1_000_000)
        }
        switch random.below(1000) {
        case 0..<2: simulation.clientEnds()
        case 2..<4: simulation.drain()
        case 4..<6: simulation.clientResets(isReported: random.chance(50))
        case 6: simulation.isServerEnding = random.chance(50)
        case 7: if random.chance(20) { simulation.close() }
        case 8: if random.chance(20) { simulation.streamIsInClearText() }
        case 9: simulation.pass(60)
        case 10..<20: simulation.closeIfIdle()
        case 20..<100: simulation.pass(random.below(1 + habits.pause))
        case 100..<300: simulation.endTask()
        case 300..<400: simulation.recollect(isFound: random.chance(60))
        case 400..<460: simulation.turnComes()
        case 460..<560: simulation.turnContinues()
        case 560..<750: simulation.clientReads(1 + random.below(habits.reading))
        default:
            guard random.chance(habits.sending) else { return }
            simulation.clientSends(
                1 + random.below(habits.burst), isWhole: random.chance(habits.whole),
                isReported: random.chance(90))
        }
    }

    /// The client does nothing more, or only reads, and time passes.
    private static func end(_ simulation: Simulation, reads: Bool) {
        for _ in 0..<100 {
            if reads { simulation.clientReads(100_000) }
            simulation.streamIsReadable()
            simulation.recollect(isFound: true)
            simulation.turnContinues()
            simulation.endTask()
            simulation.pass(10)
        }
        simulation.checkEnd()
    }

    @Test("get their responses in order, once each, and end with nothing left", arguments: seeds)
    func invariants(seed: Int) {
        #expect(Self.run(seed: seed).violations == [])
    }

    /// How often each event happens at least, about half as often as it does.
    private static let floors = [
        "100 Continue": 149, "HEAD": 4570, "a body is counted": 360, "admission too late": 2,
        "asks to close": 47, "awaits the next turn": 181, "body is admitted": 110,
        "body is not admitted": 118, "body may go on": 11, "body times out": 22,
        "closed because it is idle": 166, "closes to bound the output": 24,
        "drained while admitting": 2, "drained while lingering": 47, "drained while making": 3,
        "drained while queued": 3, "drained while reading": 95, "drained while recalling": 3,
        "end times out": 302, "ends while admitting": 3, "ends while lingering": 39,
        "ends while making": 3, "ends while queued": 3, "ends while reading": 66,
        "ends while recalling": 3, "firstRequest times out": 61, "from memory": 44545,
        "gone while admitting": 3, "gone while lingering": 40, "gone while making": 4,
        "gone while queued": 6, "gone while reading": 77, "gone while recalling": 5,
        "header times out": 42, "in clear text": 8, "last response": 256, "made": 496,
        "no room for a body": 22, "not closed because it is not idle": 507, "not recalled": 89,
        "output drains": 79, "output drains at last": 29, "output is held back": 665,
        "persists": 45062, "queued": 120, "reader may go on": 23, "reader times out": 15,
        "recalled": 158, "recalled too late": 4, "refused: badRequest": 155,
        "refused: inClearText": 8, "refused: overloaded": 38, "refused: requestTimeout": 64,
        "refused: tooManyConnections": 18, "refusedEnd times out": 9, "request times out": 21,
        "response too late": 3, "sends too much after the end": 173, "the responder closes": 43,
        "turn comes": 101, "turn times out": 16,
    ]

    @Test("meet whatever can become of them")
    func coverage() {
        var counts: [String: Int] = [:]
        for seed in Self.seeds {
            counts.merge(Self.run(seed: seed).counts, uniquingKeysWith: +)
        }
        #expect(counts.filter { $0.value < Self.floors[$0.key, default: .max] } == [:])
        #expect(Set(counts.keys) == Set(Self.floors.keys))
    }

    @Test("show each of the listed faults of the state", arguments: Simulation.Breakage.allCases)
    func breakages(breakage: Simulation.Breakage) {
        let isFound = Self.seeds.contains {
            !Self.run(seed: $0, breakage: breakage).violations.isEmpty
        }
        #expect(isFound)
    }
}
