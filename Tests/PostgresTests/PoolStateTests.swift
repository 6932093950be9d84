import Sockets
import Testing

@testable import Postgres

@Suite("The state of a pool")
struct PoolStateTests {
    // MARK: Batches

    @Test("sends what a turn has asked for together, to the connection of its lane that is free")
    func batches() {
        var pool = PoolStateRun(3) { $0.batchSize = 2 }
        pool.ask(["a", "b", "c"])
        #expect(pool.endTurn() == ["send a b on 0"])
        #expect(pool.endTurn().isEmpty)
        #expect(pool.state.connectionIsIdle(0).isEmpty)
        #expect(pool.endTurn() == ["send c on 0"])
        #expect(!pool.state.isWaiting)
    }

    @Test("spreads writes over the connections that are free, up to the size of their batches")
    func writes() {
        var pool = PoolStateRun(5) { $0.writeBatchSize = 2 }
        pool.ask(["a", "b", "c"], .write)
        #expect(pool.endTurn() == ["send a b on 3", "send c on 4"])
        pool.ask(["d", "e", "f"], .asynchronousWrite)
        #expect(pool.state.connectionIsIdle(4).isEmpty)
        #expect(pool.endTurn() == ["send d e on 4"])
    }

    @Test("sends equal reads once, if they wait for the same batch and sharing is on")
    func sharing() {
        var pool = PoolStateRun(1)
        for name in ["a", "b", "a", "a"] { #expect(pool.ask(name) == nil) }
        #expect(pool.ask("b", .read, 1) == nil)
        #expect(pool.endTurn() == ["send a=a=a b b on 0"])
        pool = PoolStateRun(1) { $0.sharesReads = false }
        pool.ask(["a", "a"])
        #expect(pool.endTurn() == ["send a a on 0"])
        pool = PoolStateRun(1)
        pool.ask(["w", "w"], .write)
        #expect(pool.endTurn() == ["send w w on 0"])
    }

    @Test("lets equal reads into a batch that is full, and nothing else past them")
    func sharingFullBatch() {
        var pool = PoolStateRun(1) { $0.batchSize = 2 }
        pool.ask(["a", "b", "a", "c", "b"])
        #expect(pool.endTurn() == ["send a=a b on 0"])
        _ = pool.state.connectionIsIdle(0)
        #expect(pool.endTurn() == ["send c b on 0"])
    }

    @Test("serves the lane of a shared connection first that has waited longest")
    func longestWaiting() {
        var pool = PoolStateRun(1)
        pool.ask(["w"], .write)
        pool.now = pool.now + .milliseconds(1)
        pool.ask(["a"])
        #expect(pool.endTurn() == ["send w on 0"])
        pool.ask(["x"], .write)
        _ = pool.state.connectionIsIdle(0)
        #expect(pool.endTurn() == ["send a on 0"])
    }

    // MARK: Long reads

    @Test("sends a long read when the pool has its turn, alone, and ends the turn with it")
    func longReads() {
        var pool = PoolStateRun(3)
        pool.ask(["a", "b"], .longRead)
        #expect(pool.endTurn() == ["await long read"])
        #expect(pool.endTurn().isEmpty)
        #expect(pool.state.longReadIsGranted() == nil)
        #expect(pool.endTurn() == ["send a on 1"])
        #expect(PoolStateRun.text(pool.state.connectionIsIdle(1)) == ["end long read"])
        #expect(pool.endTurn() == ["await long read"])
        _ = pool.state.longReadIsGranted()
        #expect(pool.endTurn() == ["send b on 1"])
        #expect(pool.lose(1) == ["end long read", "pause 1 50"])
    }

    @Test("ends a turn that it can't use")
    func unusedTurns() throws {
        var pool = PoolStateRun(1)
        pool.ask(["a"], .longRead)
        #expect(pool.endTurn() == ["await long read"])
        let query = try #require(pool.queries["a"])
        #expect(pool.state.cancel(query) == true)
        #expect(pool.state.longReadIsGranted().map { PoolStateRun.text([$0]) } == ["end long read"])

        // The connection has another batch when the turn comes.
        pool.ask(["b"], .longRead)
        #expect(pool.endTurn() == ["await long read"])
        pool.ask(["c"])
        #expect(pool.endTurn() == ["send c on 0"])
        #expect(pool.state.longReadIsGranted() == nil)
        #expect(pool.endTurn() == ["end long read"])

        #expect(PoolStateRun.text(pool.state.close()) == ["fail b closed"])
        #expect(pool.state.longReadIsGranted().map { PoolStateRun.text([$0]) } == ["end long read"])
    }

    // MARK: Replacements

    @Test("replaces the connections that refuse writes once nothing uses them, but not too often")
    func refusedWrites() {
        var pool = PoolStateRun(5) { $0.replacementInterval = .seconds(2) }
        pool.ask(["w", "x"], .write)
        #expect(pool.endTurn() == ["send w on 3", "send x on 4"])
        #expect(pool.state.connectionIsSpoiled(4, .refusesWrites, at: pool.now).isEmpty)
        #expect(PoolStateRun.text(pool.state.connectionIsIdle(4)) == ["replace 4"])
        #expect(pool.lose(4, .wasReplaced) == ["connect 4"])
        // It would have refused its next write, too.
        #expect(PoolStateRun.text(pool.state.connectionIsIdle(3)) == ["replace 3"])
        #expect(pool.lose(3, .wasReplaced) == ["connect 3"])
        for index in [3, 4] { #expect(pool.state.connectionIsReady(index).isEmpty) }

        pool.now = pool.now + .milliseconds(1999)
        #expect(pool.state.connectionIsSpoiled(4, .refusesWrites, at: pool.now).isEmpty)
        pool.now = pool.now + .milliseconds(1)
        #expect(
            PoolStateRun.text(pool.state.connectionIsSpoiled(4, .refusesWrites, at: pool.now))
                == ["replace 4", "replace 3"])
    }

    @Test(
        "replaces all connections if one remembers what is outdated, a leased one after its lease")
    func outdatedSession() {
        var pool = PoolStateRun(3)
        #expect(pool.askForLease() == nil)
        #expect(pool.endTurn() == ["lease 2"])
        #expect(
            PoolStateRun.text(pool.state.connectionIsSpoiled(2, .isOutdated, at: pool.now))
                == ["replace 1", "replace 0"])
        #expect(PoolStateRun.text(pool.state.release(2, isClean: true)).contains("replace 2"))
    }

    // MARK: Shares

    @Test("gives up the connections beyond its share, and makes no more than that")
    func share() {
        var pool = PoolStateRun(5)
        pool.ask(["a"])
        #expect(pool.endTurn() == ["send a on 0"])
        #expect(
            PoolStateRun.text(pool.state.shareChanged(to: 2))
                == ["replace 4", "replace 3", "replace 2"])
        for index in 2...4 { #expect(pool.lose(index, .wasReplaced).isEmpty) }
        #expect(PoolStateRun.text(pool.state.shareChanged(to: 1)) == ["replace 1"])
        #expect(pool.lose(1, .wasReplaced).isEmpty)
        #expect(pool.state.connectionIsIdle(0).isEmpty)
        #expect(pool.lose(0) == ["pause 0 50"])
        #expect(PoolStateRun.text(pool.state.pauseHasEnded(of: 0)) == ["connect 0"])
        #expect(pool.state.pauseHasEnded(of: 1).isEmpty)
        #expect(PoolStateRun.text(pool.state.shareChanged(to: 3)) == ["connect 1", "connect 2"])
    }

    @Test("lets queries wait while PostgreSQL has too many connections, but not for long")
    func tooManyConnections() {
        var pool = PoolStateRun(1, ready: 0) { $0.acquisitionTimeout = .seconds(2) }
        #expect(pool.lose(0, .wasNotMade, sqlState: "53300") == ["pause 0 50"])
        pool.now = pool.now + .seconds(1)
        #expect(pool.state.outage == nil && pool.ask("a") == nil)
        pool.now = pool.now + .seconds(1)
        _ = pool.state.pauseHasEnded(of: 0)
        #expect(pool.lose(0, .wasNotMade, sqlState: "53300") == ["pause 0 100"])
        #expect(pool.ask("b") == .unavailable)
        _ = pool.state.pauseHasEnded(of: 0)
        _ = pool.state.connectionIsReady(0)
        #expect(pool.ask("c") == nil)
    }

    // MARK: Leases

    @Test("leases a connection to one transaction at a time, after the writes before it")
    func leases() {
        var pool = PoolStateRun(3)
        pool.ask(["w"], .write)
        #expect(pool.askForLease() == nil)
        pool.ask(["x"], .write)
        #expect(pool.endTurn() == ["send w on 2"])
        _ = pool.state.connectionIsIdle(2)
        #expect(pool.endTurn() == ["lease 2"])
        // Its transaction's queries are complete.
        #expect(pool.state.connectionIsIdle(2).isEmpty)
        #expect(pool.endTurn().isEmpty)
        #expect(pool.state.release(2, isClean: true).isEmpty)
        #expect(pool.endTurn() == ["send x on 2"])
    }

    @Test("breaks a connection that is released in the middle of a transaction")
    func uncleanRelease() {
        var pool = PoolStateRun(1)
        #expect(pool.askForLease() == nil)
        #expect(pool.endTurn() == ["lease 0"])
        #expect(PoolStateRun.text(pool.state.release(0, isClean: false)) == ["reset 0"])
    }

    @Test("doesn't use a connection that was lost and made again until its lease ends")
    func lostLease() {
        var pool = PoolStateRun(1)
        #expect(pool.askForLease() == nil)
        #expect(pool.endTurn() == ["lease 0"])
        #expect(pool.lose(0) == ["pause 0 50"])
        #expect(PoolStateRun.text(pool.state.pauseHasEnded(of: 0)) == ["connect 0"])
        _ = pool.state.connectionIsReady(0)
        pool.ask(["a"])
        #expect(pool.endTurn().isEmpty)
        #expect(pool.state.statistics.used == 1)
        #expect(pool.state.release(0, isClean: true).isEmpty)
        #expect(pool.endTurn() == ["send a on 0"])
    }
}
