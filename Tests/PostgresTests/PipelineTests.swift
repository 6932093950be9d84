import Testing

@testable import Postgres

@Suite("A pipeline")
struct PipelineTests {
    private typealias Machine = Pipeline<Int>
    private static let a = Statement("a", .read, "SELECT 1")
    private static let b = Statement("b", .read, "SELECT 2")
    private static let w = Statement("w", .write, "UPDATE t SET x = 1")

    private static func error(_ state: String) -> PostgresError {
        PostgresError(.server, sqlState: state)
    }

    private static func query(_ id: Int, _ statement: Statement, isAlone: Bool = false)
        -> Machine.Query
    {
        Machine.Query(id: id, statement: statement, isAlone: isAlone)
    }

    /// A machine for which the statements are prepared already.
    private static func machine(prepared statements: [Statement] = [a, b, w]) -> Machine {
        var machine = Machine()
        for statement in statements {
            _ = machine.send([query(0, statement)])
            for event in [Machine.Event.success, .sync, .success, .sync] {
                _ = machine.receive(event)
            }
        }
        return machine
    }

    private static func text(_ action: Machine.Action?) -> String {
        switch action {
        case nil: "-"
        case .complete(let id): "complete \(id)"
        case .retain: "retain"
        case .completeRetained(let id): "complete retained \(id)"
        case .mismatch: "mismatch"
        case .fail(let id, let error): "fail \(id) \(error.sqlState ?? "?")"
        case .resend(let id): "resend \(id)"
        }
    }

    private static func receive(_ events: [Machine.Event], _ machine: inout Machine) -> [String] {
        events.map { text(machine.receive($0)) }
    }

    @Test("sends reads that are prepared under one Sync")
    func readsShareASync() {
        var machine = Self.machine()
        let commands = machine.send([
            Self.query(1, Self.a), Self.query(2, Self.b), Self.query(3, Self.a),
        ])
        #expect(commands == [.query(1), .query(2), .query(3), .sync])
        #expect(machine.queriesInFlight == 3)
        #expect(
            Self.receive([.success, .success, .success, .sync], &machine)
                == ["complete 1", "complete 2", "complete 3", "-"])
        #expect(machine.isIdle)
        #expect(machine.queriesInFlight == 0)
    }

    @Test("gives a write a Sync of its own, and its neighbours theirs")
    func writesAreAlone() {
        var machine = Self.machine()
        let commands = machine.send([
            Self.query(1, Self.a), Self.query(2, Self.w), Self.query(3, Self.w),
            Self.query(4, Self.a), Self.query(5, Self.b),
        ])
        #expect(
            commands == [
                .query(1), .sync, .query(2), .sync, .query(3), .sync, .query(4), .query(5), .sync,
            ])
    }

    @Test("gives a Prepare a Sync of its own, once for each statement")
    func preparesAreAlone() {
        var machine = Machine()
        let commands = machine.send([
            Self.query(1, Self.a), Self.query(2, Self.a), Self.query(3, Self.b),
            Self.query(4, Self.a),
        ])
        #expect(
            commands == [
                .prepare(Self.a), .sync, .query(1), .query(2), .sync,
                .prepare(Self.b), .sync, .query(3), .query(4), .sync,
            ])
    }

    @Test("gives a read that is to be alone a Sync of its own")
    func aloneRead() {
        var machine = Self.machine()
        let commands = machine.send([
            Self.query(1, Self.a), Self.query(2, Self.a, isAlone: true), Self.query(3, Self.a),
        ])
        #expect(commands == [.query(1), .sync, .query(2), .sync, .query(3), .sync])
    }

    @Test("asks for responses between many reads, which still share a Sync")
    func asksForResponses() {
        var machine = Self.machine()
        let commands = machine.send((1...20).map { Self.query($0, Self.a) })
        let expected: [Machine.Command] =
            (1...8).map { .query($0) } + [.flush] + (9...16).map { .query($0) } + [.flush]
            + (17...20).map { .query($0) } + [.sync]
        #expect(commands == expected)
        // Nothing responds to a flush: twenty results and one Sync.
        let actions = Self.receive(Array(repeating: .success, count: 20) + [.sync], &machine)
        #expect(actions == (1...20).map { "complete \($0)" } + ["-"])
        #expect(machine.isIdle)
    }

    @Test("asks for a response that others wait for, before what follows")
    func respondsAtOnce() {
        let prompt = Statement("p", .read, "SELECT 3", dependencies: nil, respondsAtOnce: true)
        var machine = Self.machine(prepared: [Self.a, Self.w, prompt])
        func commands(_ queries: [Machine.Query]) -> [Machine.Command] {
            let commands = machine.send(queries)
            _ = Self.receive(
                Array(repeating: .success, count: queries.count) + [.sync], &machine)
            return commands
        }
        let (first, second) = (Self.query(1, prompt), Self.query(2, Self.a))
        #expect(commands([first, second]) == [.query(1), .flush, .query(2), .sync])
        #expect(commands([second, first]) == [.query(2), .query(1), .sync])
        #expect(commands([first]) == [.query(1), .sync])
        #expect(
            machine.send([first, Self.query(3, Self.w)]) == [.query(1), .sync, .query(3), .sync])
    }

    @Test("sends BEGIN with the first query of its transaction, in one group")
    func begin() {
        var machine = Self.machine()
        let first = Machine.Query(id: 1, statement: Self.w, isAlone: true, beginsTransaction: true)
        #expect(machine.send([first]) == [.begin, .query(1), .sync])
        #expect(
            Self.receive([.success, .success, .sync], &machine) == [
                "-", "retain", "complete retained 1",
            ])
        #expect(machine.isIdle)
    }

    @Test("runs no query of a transaction that could not begin")
    func failingBegin() {
        var machine = Self.machine()
        let first = Machine.Query(id: 1, statement: Self.w, isAlone: true, beginsTransaction: true)
        _ = machine.send([first])
        #expect(
            Self.receive([.failure(Self.error("25006")), .aborted, .sync], &machine)
                == ["-", "fail 1 25006", "-"])
        #expect(machine.isIdle)
        // The next one is not told of it.
        _ = machine.send([first])
        #expect(
            Self.receive([.success, .success, .sync], &machine) == [
                "-", "retain", "complete retained 1",
            ])
    }

    @Test("sends nothing for an empty batch")
    func emptyBatch() {
        var machine = Machine()
        #expect(machine.send([]) == [])
        #expect(machine.isIdle)
    }

    @Test("fails the read that failed and resends those behind it up to the Sync")
    func failingRead() {
        var machine = Self.machine()
        _ = machine.send((1...4).map { Self.query($0, Self.a) } + [Self.query(5, Self.w)])
        let actions = Self.receive(
            [
                .success, .failure(Self.error("22012")), .aborted, .aborted, .sync,
                .success, .sync,
            ], &machine)
        #expect(
            actions == [
                "complete 1", "fail 2 22012", "resend 3", "resend 4", "-", "retain",
                "complete retained 5",
            ])
        #expect(machine.isIdle)
    }

    @Test("fails the queries of a statement that cannot be prepared with that error")
    func failingPrepare() {
        var machine = Self.machine(prepared: [Self.b])
        _ = machine.send([Self.query(1, Self.a), Self.query(2, Self.a), Self.query(3, Self.b)])
        let actions = Self.receive(
            [
                .failure(Self.error("42P01")), .sync,
                .failure(Self.error("26000")), .aborted, .aborted, .sync,
            ], &machine)
        #expect(actions == ["-", "-", "fail 1 42P01", "resend 2", "resend 3", "-"])
        // It is tried again with the next query, which may find the table made by now.
        let commands = machine.send([Self.query(2, Self.a, isAlone: true)])
        #expect(commands == [.prepare(Self.a), .sync, .query(2), .sync])
        #expect(
            Self.receive([.success, .sync, .success, .sync], &machine)
                == ["-", "-", "retain", "complete retained 2"])
    }

    @Test("forgets a failed preparation once the statement could be prepared")
    func forgetsPreparationErrors() {
        var machine = Machine()
        _ = machine.send([Self.query(1, Self.a)])
        _ = Self.receive(
            [.failure(Self.error("42P01")), .sync, .failure(Self.error("26000")), .sync], &machine)
        _ = machine.send([Self.query(2, Self.a)])
        _ = Self.receive([.success, .sync, .success, .sync], &machine)
        // Now someone discards it: that is another matter than the first failure.
        _ = machine.send([Self.query(3, Self.a)])
        #expect(
            Self.receive([.failure(Self.error("26000")), .sync], &machine) == ["resend 3", "-"])
    }

    @Test("prepares again, once, what someone took away")
    func undefinedStatement() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.a)])
        #expect(
            Self.receive([.failure(Self.error("26000")), .sync], &machine) == ["resend 1", "-"])
        let commands = machine.send([Self.query(1, Self.a, isAlone: true)])
        #expect(commands == [.prepare(Self.a), .sync, .query(1), .sync])
        #expect(
            Self.receive([.success, .sync, .failure(Self.error("26000")), .sync], &machine)
                == ["-", "-", "fail 1 26000", "-"])
    }

    @Test("resends a write whose prepared statement was gone, since it did nothing")
    func undefinedWrite() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.w)])
        #expect(
            Self.receive([.failure(Self.error("26000")), .sync], &machine) == ["resend 1", "-"])
    }

    @Test("prepares all statements again once one of them is outdated, and sends its query again")
    func outdatedStatement() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.a), Self.query(2, Self.b)])
        #expect(
            Self.receive([.failure(Self.error("0A000")), .aborted, .sync], &machine)
                == ["resend 1", "resend 2", "-"])
        let commands = machine.send([
            Self.query(1, Self.a, isAlone: true), Self.query(2, Self.b, isAlone: true),
        ])
        #expect(
            commands == [
                .deallocateAll, .sync, .prepare(Self.a), .sync, .query(1), .sync,
                .prepare(Self.b), .sync, .query(2), .sync,
            ])
        let successes: [Machine.Event] = (0..<5).flatMap { _ in [.success, .sync] }
        #expect(Self.receive(successes, &machine).last == "complete retained 2")
        #expect(!machine.isSpoiled)
        // The next time is as good as the first.
        _ = machine.send([Self.query(3, Self.w)])
        _ = Self.receive([.success, .sync, .success, .sync], &machine)
        _ = machine.send([Self.query(4, Self.w)])
        #expect(
            Self.receive([.failure(Self.error("42P01")), .sync], &machine) == ["resend 4", "-"])
    }

    @Test("fails the query of a statement that fails in the same way when it is prepared again")
    func wrongStatement() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.a)])
        _ = Self.receive([.failure(Self.error("42804")), .sync], &machine)
        _ = machine.send([Self.query(1, Self.a, isAlone: true)])
        #expect(
            Self.receive(
                [.success, .sync, .success, .sync, .failure(Self.error("42804")), .sync], &machine)
                == ["-", "-", "-", "-", "fail 1 42804", "-"])
        #expect(machine.isSpoiled, "a new session may do better")
        _ = machine.send([Self.query(2, Self.a)])
        #expect(
            Self.receive([.failure(Self.error("42804")), .sync], &machine)
                == ["fail 2 42804", "-"])
        #expect(machine.isIdle)
    }

    @Test("sends nothing again in a transaction, which can be run again from its beginning")
    func outdatedInTransaction() {
        var machine = Self.machine()
        let first = Machine.Query(id: 1, statement: Self.w, isAlone: true, beginsTransaction: true)
        _ = machine.send([first])
        _ = machine.receive(.success)
        guard case .fail(1, let error) = machine.receive(.failure(Self.error("0A000"))) else {
            Issue.record("it is not failed")
            return
        }
        #expect(error.isOutdated && error.isTransient)
        _ = machine.receive(.sync)
        // No statement can be removed in a transaction that has failed. This one only ends it.
        let end = Self.query(2, Self.b, isAlone: true)
        #expect(
            machine.send([end])
                == [.deallocateAll, .sync, .prepare(Self.b), .sync, .query(2), .sync])
        #expect(
            Self.receive(
                [
                    .failure(Self.error("25P02")), .sync, .failure(Self.error("42P05")), .sync,
                    .success, .sync,
                ], &machine)
                == ["-", "-", "-", "-", "retain", "complete retained 2"])
        #expect(
            machine.send([first]) == [
                .deallocateAll, .sync, .prepare(Self.w), .sync, .begin, .query(1), .sync,
            ])
    }

    @Test("sends a query again whose preceding write is outdated")
    func outdatedPrecedingWrite() {
        var machine = Self.machine()
        _ = machine.send([Machine.Query(id: 1, statement: Self.a, preceding: Self.w)])
        #expect(
            Self.receive([.failure(Self.error("0A000")), .aborted, .sync], &machine)
                == ["-", "resend 1", "-"])
    }

    @Test("gives what is pending, in order, when the connection is lost")
    func losing() {
        var machine = Self.machine()
        _ = machine.send([
            Self.query(1, Self.a), Self.query(2, Self.w), Self.query(3, Self.b),
        ])
        _ = machine.receive(.success)
        #expect(machine.lose().map(\.id) == [2, 3])
        #expect(machine.isIdle)
        #expect(machine.queriesInFlight == 0)
        #expect(machine.lose().isEmpty)
        // The next connection knows no prepared statement.
        #expect(
            machine.send([Self.query(2, Self.a)])
                == [.prepare(Self.a), .sync, .query(2), .sync])
    }

    @Test("responds to a write at its Sync, and fails it with an error that its commit raises")
    func commits() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.w), Self.query(2, Self.w), Self.query(3, Self.a)])
        // The order that PostgreSQL 15 gives when the first one's commit fails.
        let actions = Self.receive(
            [
                .success, .failure(Self.error("40001")), .sync, .success, .sync, .success, .sync,
            ], &machine)
        #expect(
            actions == [
                "retain", "fail 1 40001", "-", "retain", "complete retained 2", "complete 3", "-",
            ])
        #expect(machine.isIdle)
        #expect(machine.queriesInFlight == 0)
    }

    @Test("gives a write as pending that has a result and no Sync")
    func losingAtSync() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.w), Self.query(2, Self.a)])
        #expect(Self.receive([.success], &machine) == ["retain"])
        #expect(machine.queriesInFlight == 2)
        #expect(machine.lose().map(\.id) == [1, 2])
        #expect(machine.queriesInFlight == 0)
    }

    @Test("leaves reads completed whose Sync brings an error")
    func readsBeforeAnError() {
        var machine = Self.machine()
        _ = machine.send([Self.query(1, Self.a), Self.query(2, Self.b)])
        #expect(
            Self.receive(
                [.success, .success, .failure(Self.error("40001")), .sync], &machine)
                == ["complete 1", "complete 2", "-", "-"])
        #expect(machine.isIdle)
    }

    @Test("takes nothing for a response that is out of its order")
    func mismatches() {
        for event in [Machine.Event.success, .failure(Self.error("22012")), .aborted, .sync] {
            var idle = Machine()
            #expect(Self.receive([event], &idle) == ["mismatch"], "nothing was asked")
        }
        for (statement, events) in [
            (Self.a, [Machine.Event.sync]), (Self.w, [.sync]), (Self.w, [.aborted]),
            (Self.w, [.success, .success]), (Self.w, [.success, .aborted]),
            (Self.a, [.success, .success]), (Self.a, [.success, .aborted]),
        ] {
            var machine = Self.machine()
            _ = machine.send([Self.query(1, statement)])
            #expect(Self.receive(events, &machine).last == "mismatch", "\(statement.name)")
            let isCompleted = statement == Self.a && events.count > 1
            #expect(machine.lose().map(\.id) == (isCompleted ? [] : [1]), "nobody waits for ever")
        }
        for event in [Machine.Event.sync, .aborted] {
            var machine = Machine()
            _ = machine.send([Self.query(1, Self.a)])
            #expect(Self.receive([event], &machine) == ["mismatch"], "of a Prepare")
        }
    }
}
