import Sockets
import Testing

@testable import Postgres

@Suite("The state of a pool that loses connections, or patience")
struct PoolLossTests {
    @Test("sends reads again once, before all others, and says that a write's outcome is unknown")
    func losses() {
        var pool = PoolStateRun(1)
        pool.ask(["a", "a", "b"])
        let reads = pool.batch()
        pool.ask(["c"])
        #expect(pool.lose(0, .broke, reads) == ["pause 0 50"])
        _ = pool.state.connectionIsReady(0)
        let again = pool.batch()
        #expect(PoolStateRun.text(again) == "a=a b c")
        #expect(
            pool.lose(0, .broke, again)
                == ["fail b connectionLost", "fail a=a connectionLost", "pause 0 50"])
        _ = pool.state.connectionIsReady(0)
        #expect(pool.endTurn() == ["send c on 0"])

        pool = PoolStateRun(1)
        pool.ask(["w"], .write)
        let writes = pool.batch()
        #expect(pool.lose(0, .broke, writes) == ["fail w outcomeUnknown", "pause 0 50"])
    }

    @Test("doesn't send a read again after a silence, and tries the idle connections, too")
    func silence() {
        var pool = PoolStateRun(5)
        pool.ask(["a"])
        let reads = pool.batch()
        pool.ask(["w"], .write)
        #expect(pool.endTurn() == ["send w on 3"])
        #expect(
            pool.lose(0, .wasSilent, reads)
                == ["fail a connectionLost", "pause 0 50", "reset 1", "reset 2", "reset 4"])
    }

    @Test("pauses longer after each failure, and not at all once one connection is made")
    func pauses() {
        var pool = PoolStateRun(3, ready: 0) {
            $0.reconnectDelays = .milliseconds(50)...Duration.milliseconds(120)
        }
        #expect(pool.lose(0, .wasNotMade) == ["pause 0 50"])
        #expect(pool.lose(1, .wasNotMade) == ["pause 1 100"])
        #expect(PoolStateRun.text(pool.state.pauseHasEnded(of: 0)) == ["connect 0"])
        #expect(pool.lose(0, .wasNotMade) == ["pause 0 120"])
        #expect(PoolStateRun.text(pool.state.connectionIsReady(2)) == ["connect 0", "connect 1"])
        #expect(pool.state.pauseHasEnded(of: 1).isEmpty)
        #expect(pool.lose(1, .wasNotMade) == ["pause 1 50"])
    }

    @Test("refuses what comes while the last attempt to connect has failed, and there is none")
    func outage() {
        var pool = PoolStateRun(2)
        pool.ask(["a"])
        #expect(pool.lose(0) == ["pause 0 50"])
        #expect(pool.lose(1) == ["pause 1 100"])
        // They may be back in a moment.
        #expect(pool.ask("b") == nil)
        _ = pool.state.pauseHasEnded(of: 0)
        #expect(pool.lose(0, .wasNotMade) == ["pause 0 200"])
        #expect(pool.ask("c") == .unavailable)
        #expect(pool.askForLease() == .unavailable)
        pool.now = pool.now + .seconds(2)
        #expect(
            PoolStateRun.text(pool.state.expire(at: pool.now)) == [
                "fail a unavailable", "fail b unavailable",
            ])
        _ = pool.state.connectionIsReady(1)
        #expect(pool.ask("d") == nil)
    }

    @Test("assigns the lanes anew, the writes to those that transactions have")
    func lanes() {
        var pool = PoolStateRun(3)
        pool.ask(["a"])
        #expect(pool.endTurn() == ["send a on 0"])
        #expect(pool.askForLease() == nil)
        #expect(pool.endTurn() == ["lease 2"])
        #expect(pool.lose(0) == ["pause 0 50"])
        pool.ask(["b"])
        pool.ask(["w"], .write)
        #expect(pool.endTurn() == ["send b on 1"])
        _ = pool.state.release(2, isClean: true)
        #expect(pool.endTurn() == ["send w on 2"])
    }

    @Test("uses no server of an older timeline, and leaves it when there is a newer one")
    func timelines() {
        var pool = PoolStateRun(3, ready: 0)
        #expect(pool.state.found("00000001")?.isEmpty == true)
        _ = pool.state.connectionIsReady(0)
        #expect(pool.state.found("00000001")?.isEmpty == true)
        _ = pool.state.connectionIsReady(1)
        #expect(pool.state.found("00000002").map(PoolStateRun.text) == ["reset 0", "reset 1"])
        #expect(pool.state.found("00000001") == nil)
        #expect(PoolStateRun.text(pool.state.resetAll()) == ["reset 0", "reset 1"])
    }

    // MARK: Waiting

    @Test("refuses more than may wait in a lane, and counts them")
    func queueLimit() {
        var pool = PoolStateRun(1) { $0.queueLimit = 2 }
        pool.ask(["a", "b"])
        #expect(pool.ask("c") == .queueFull)
        pool.ask(["w"], .write)
        #expect(pool.askForLease() == nil)
        #expect(pool.askForLease() == .queueFull)
        #expect(pool.state.statistics.rejections == 2)
        #expect(pool.state.statistics.waiting.map(\.count) == [2, 0, 2])
    }

    @Test("gives up each at its time, of which it loses none while it is on a connection")
    func expiry() {
        var pool = PoolStateRun(1)
        pool.ask(["a"])
        pool.now = pool.now + .milliseconds(1500)
        let reads = pool.batch()
        pool.now = pool.now + .milliseconds(1000)
        #expect(pool.askForLease() == nil)
        #expect(pool.state.expire(at: pool.now).isEmpty)
        #expect(pool.lose(0, .broke, reads) == ["pause 0 50"])
        #expect(pool.state.expiry == pool.now + .milliseconds(500))
        pool.now = pool.now + .milliseconds(499)
        #expect(pool.state.expire(at: pool.now).isEmpty)
        pool.now = pool.now + .milliseconds(1)
        #expect(PoolStateRun.text(pool.state.expire(at: pool.now)) == ["fail a acquisitionTimeout"])
        #expect(pool.state.expiry == pool.now + .milliseconds(1500))
        pool.now = pool.now + .milliseconds(1500)
        #expect(
            PoolStateRun.text(pool.state.expire(at: pool.now)) == ["fail lease acquisitionTimeout"])
        #expect(!pool.state.isWaiting)
        #expect(pool.state.statistics.timeouts == 2)
    }

    @Test("forgets a query that is cancelled, unless it was sent, but not those that share it")
    func cancellation() throws {
        var pool = PoolStateRun(1)
        pool.ask(["a", "b"])
        let (a, b) = (try #require(pool.queries["a"]), try #require(pool.queries["b"]))
        #expect(pool.state.cancel(a) == true)
        #expect(pool.state.cancel(a) == false)
        pool.ask(["b"])
        let follower = try #require(pool.queries["b"])
        let reads = pool.batch()
        #expect(pool.state.cancel(b) == false)
        #expect(PoolStateRun.text(reads) == "b=b")
        _ = pool.lose(0, .broke, reads)
        #expect(pool.state.cancel(b) == true)
        _ = pool.state.connectionIsReady(0)
        let again = pool.batch()
        #expect(again.map(\.leader) == [follower])
        #expect(again[0].followers.isEmpty)
    }

    @Test("fails what waits when it is closed, refuses what comes, and connects no more")
    func closing() {
        var pool = PoolStateRun(1)
        _ = pool.lose(0)
        pool.ask(["a"])
        #expect(pool.askForLease() == nil)
        #expect(PoolStateRun.text(pool.state.close()) == ["fail a closed", "fail lease closed"])
        #expect(pool.ask("b") == .closed)
        #expect(pool.state.pauseHasEnded(of: 0).isEmpty)
        #expect(pool.endTurn().isEmpty)
    }
}
