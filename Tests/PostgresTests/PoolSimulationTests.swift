import Sockets
import TestSupport
import Testing

@testable import Postgres

@Suite("A random day of a pool")
struct PoolSimulationTests {
    private static let reads = (0..<2).map { Statement("read\($0)", .read, "") }
    private static let long = Statement("long", .longRead, "")
    private static let writes = [
        Statement("write", .write, ""), Statement("asynchronous", .asynchronousWrite, ""),
    ]

    private static func configuration(_ random: inout Random) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(connectionString: "")
        configuration.connections = 1 + random.below(6)
        configuration.batchSize = 1 + random.below(8)
        configuration.writeBatchSize = 1 + random.below(4)
        configuration.queueLimit = 4 + random.below(12)
        configuration.sharesReads = random.chance(70)
        configuration.acquisitionTimeout = .milliseconds(200 + random.below(2000))
        configuration.reconnectDelays = .milliseconds(50)...Duration.milliseconds(500)
        return configuration
    }

    private static func query(_ random: inout Random) -> PendingQuery {
        let parameters = [PostgresParameter.int(random.below(2))]
        let read = reads[random.below(reads.count)]
        return switch random.below(10) {
        case 0..<5: PendingQuery(read, parameters)
        case 5: PendingQuery(read, parameters, after: BoundStatement(writes[random.below(2)]))
        case 6: PendingQuery(long, parameters)
        default: PendingQuery(writes[random.below(2)], parameters)
        }
    }

    private static func run(seed: Int) -> PoolSimulation {
        var random = Random(seed: seed)
        var pool = PoolSimulation(configuration(&random))
        var timeline = 1
        for _ in 0..<400 { step(&pool, &random, &timeline) }
        if random.chance(25) {
            pool.close()
            pool.ask(query(&random))
            releaseAll(&pool)
        } else {
            drain(&pool, timeline)
        }
        pool.otherEndsTurn()
        pool.endTurn()
        return pool
    }

    @Test(
        "loses no query, completes none twice, repeats no write, and keeps every bound",
        arguments: 0..<200)
    func invariants(seed: Int) {
        let pool = Self.run(seed: seed)
        #expect(pool.turn == .free && !pool.poolAwaitsTurn)
        for (number, caller) in pool.callers.enumerated() {
            guard case .done(let outcome) = caller.stage else {
                Issue.record("\(number) has no outcome: \(caller)")
                continue
            }
            guard outcome == "outcomeUnknown" else { continue }
            #expect(caller.query?.isReadOutside == false && caller.sendings == 1)
        }
        #expect(pool.state.statistics.waiting.allSatisfy { $0.count == 0 })
    }

    @Test("meets whatever can become of a query")
    func coverage() {
        let callers = (0..<50).flatMap { Self.run(seed: $0).callers }
        let outcomes = callers.map { caller in
            guard case .done(let outcome) = caller.stage else { return "none" }
            return caller.sendings > 1 ? "\(outcome) again" : outcome
        }
        #expect(
            Set(outcomes) == [
                "success", "success again", "leased", "cancelled", "queueFull",
                "acquisitionTimeout", "unavailable", "connectionLost", "connectionLost again",
                "outcomeUnknown", "closed",
            ])
        #expect(callers.count(where: \.wasShared) > 100)
    }

    private static func step(
        _ pool: inout PoolSimulation, _ random: inout Random, _ timeline: inout Int
    ) {
        let index = random.below(pool.connections.count)
        let connection = pool.connections[index]
        switch random.below(101) {
        case 0..<30: pool.ask(query(&random))
        case 30..<34: pool.askForLease()
        case 34..<37:
            let recent = pool.callers.indices.suffix(20)
            if let number = recent.randomElement(using: &random) { pool.cancel(number) }
        case 37..<55: pool.endTurn()
        case 55..<63: pool.pass(.milliseconds(random.below(random.chance(5) ? 3000 : 60)))
        case 63..<85:
            switch connection.status {
            case .connecting where random.chance(20): pool.lose(index, .wasNotMade, completed: 0)
            case .connecting:
                // Some lead to a former primary.
                let found = random.chance(10) ? timeline - 1 : timeline
                pool.becomeReady(index, timeline: "\(1000 + found)")
            case .ready where !connection.batch.isEmpty: pool.respond(index)
            default: break
            }
        case 85..<90:
            if connection.isLeased { pool.release(index, isClean: random.chance(80)) }
        case 90..<94:
            guard connection.status == .ready else { return }
            let isSilent = !connection.batch.isEmpty && random.chance(30)
            pool.lose(
                index, isSilent ? .wasSilent : .broke,
                completed: random.below(connection.batch.count + 1))
        case 94..<96: pool.reconnect()
        case 96: if random.chance(50) { timeline += 1 }
        case 97: pool.otherTakesTurn()
        case 98: pool.change(share: 1 + random.below(pool.connections.count))
        case 99:
            guard connection.status == .ready else { return }
            pool.spoil(index, random.chance(50) ? .refusesWrites : .isOutdated)
        default: pool.otherEndsTurn()
        }
    }

    private static func releaseAll(_ pool: inout PoolSimulation) {
        for index in pool.connections.indices where pool.connections[index].isLeased {
            pool.release(index, isClean: true)
        }
    }

    /// Lets everything go well from now on. No wait may come to its end in this time.
    private static func drain(_ pool: inout PoolSimulation, _ timeline: Int) {
        var rounds = 0
        while pool.callers.contains(where: { $0.stage == .waiting || $0.stage == .sent }),
            rounds < 300
        {
            rounds += 1
            pool.endTurn()
            pool.otherEndsTurn()
            releaseAll(&pool)
            for index in pool.connections.indices {
                switch pool.connections[index].status {
                case .connecting: pool.becomeReady(index, timeline: "\(1000 + timeline)")
                case .ready where !pool.connections[index].batch.isEmpty: pool.respond(index)
                case .pausing: pool.endPause(of: index)
                default: break
                }
            }
        }
    }
}
