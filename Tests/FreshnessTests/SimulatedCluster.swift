import Foundation
import Sockets

@testable import Freshness

/// What PostgreSQL does with transactions and with the table of changes: a primary that crashes, is
/// restarted, is replaced by its standby, and has a backup restored into it.
struct SimulatedCluster {
    /// A row of the table of changes.
    struct Row {
        let xid: Int
        let keys: [String]
        /// Whether it is so old that it may be deleted.
        var isOld = false
    }

    /// What is committed.
    struct Contents {
        /// The version of each thing that the site shows. Each write makes another one.
        var versions: [String: Int] = [:]
        /// The number of the table of changes; `nil` while it is being restored.
        var table: Int? = 1
        var rows = [Row(xid: 90, keys: [])]
        var nextXid = 100
        var latestCompleted = 99
    }

    private struct Transaction {
        let xid: Int
        let things: [String]
        /// The key of this change alone.
        let key: String
        /// The keys of its row.
        let keys: [String]
    }

    /// Something that the observers must be told of.
    struct Change {
        /// `nil` if only a loss of track can tell it.
        let key: String?
        let at: MonotonicTime
    }

    struct Answer {
        let point: Changes.Point
        let isStandby: Bool
        let isComplete: Bool
        let keys: [String]

        var isTooMuch: Bool {
            keys.count > Changes.limit || keys.contains(ChangeKey.everything)
        }
    }

    static let things = (0..<5).map { "thing \($0)" }

    private(set) var now = MonotonicTime(nanoseconds: 0)
    private(set) var contents = Contents()
    /// What a crash leaves.
    private var flushed = Contents()
    /// What the standby has.
    private var replicated = Contents()
    private var backup = Contents()
    private var running: [Transaction] = []
    private var start = Date(timeIntervalSince1970: 0)
    private var crash = Date(timeIntervalSince1970: 0)
    private var timeline = 1
    private(set) var day = 9_000
    /// Counts what must never be the same twice.
    private var number = 1
    /// The versions of each thing, each with when it began to be the current one.
    private var history: [String: [(since: MonotonicTime, version: Int)]] = [:]
    /// What has happened since the observers were last told.
    var untold: [Change] = []

    init() { note() }

    // MARK: Time

    mutating func pass(_ duration: Duration) { now = now + duration }

    mutating func turnDay() {
        day += 1
        untold.append(Change(key: ChangeKey.today, at: now))
        note()
    }

    func version(of thing: String) -> Int {
        thing == ChangeKey.today ? day : contents.versions[thing] ?? 0
    }

    /// Notes the present versions.
    private mutating func note() {
        for thing in Self.things + [ChangeKey.today] {
            let version = version(of: thing)
            guard history[thing]?.last?.version != version else { continue }
            history[thing, default: []].append((now, version))
        }
    }

    /// Whether this was the thing's version at some time since then.
    func had(_ version: Int, of thing: String, since time: MonotonicTime) -> Bool {
        let versions = history[thing] ?? []
        return versions.indices.contains { index in
            let hasEndedBefore = index + 1 < versions.count && versions[index + 1].since < time
            return versions[index].version == version && !hasEndedBefore
        }
    }

    // MARK: Transactions

    /// - Parameter keys: Further keys of the change. `nil` if it is a change of everything.
    mutating func begin(_ things: [String], _ keys: [String]?) -> Bool {
        let locked = running.flatMap(\.things)
        guard contents.table != nil, !things.contains(where: locked.contains) else { return false }
        number += 1
        let key = "change \(number)"
        running.append(
            Transaction(
                xid: takeXid(), things: things, key: key,
                keys: keys.map { things + [key] + $0 } ?? [ChangeKey.everything]))
        return true
    }

    private mutating func takeXid() -> Int {
        defer { contents.nextXid += 1 }
        return contents.nextXid
    }

    var runningCount: Int { running.count }

    /// - Parameter isFlushed: Whether the commit waits for the disk.
    mutating func commit(_ index: Int, isFlushed: Bool) {
        let transaction = running.remove(at: index)
        for thing in transaction.things {
            number += 1
            contents.versions[thing] = number
        }
        contents.rows.append(Row(xid: transaction.xid, keys: transaction.keys))
        complete(transaction.xid)
        untold.append(Change(key: transaction.key, at: now))
        if isFlushed { flush() }
        note()
    }

    mutating func rollBack(_ index: Int) { complete(running.remove(at: index).xid) }

    private mutating func complete(_ xid: Int) {
        contents.latestCompleted = max(contents.latestCompleted, xid)
    }

    mutating func flush() { flushed = contents }

    mutating func replicate() { replicated = flushed }

    // MARK: The server

    /// A process crashes, so the server ends all of them and recovers. What was not flushed is
    /// undone, and its ids are used again.
    ///
    /// - Returns: Whether something was undone.
    mutating func crashProcess() -> Bool {
        crash += 1
        return becomes(flushed)
    }

    mutating func restart() {
        start += 1
        _ = becomes(contents)
    }

    /// The standby becomes the primary. What it did not have yet is lost.
    mutating func failOver() -> Bool {
        timeline += 1
        start += 100
        crash += 100
        return becomes(replicated)
    }

    private mutating func becomes(_ other: Contents) -> Bool {
        let isUndone = contents.versions != other.versions
        contents = other
        contents.latestCompleted = contents.nextXid - 1
        running = []
        flushed = contents
        replicated = contents
        if isUndone { untold.append(Change(key: nil, at: now)) }
        note()
        return isUndone
    }

    // MARK: Upkeep

    mutating func backUp() { backup = contents }

    /// Begins to restore the backup: the table is gone until that ends.
    mutating func beginRestoring() {
        running = []
        contents.latestCompleted = contents.nextXid - 1
        contents.table = nil
        flush()
    }

    /// - Parameter shift: How far ahead the transactions of the backup's cluster are.
    mutating func endRestoring(shift: Int, notesEverything: Bool) {
        number += 1
        contents.table = number
        contents.versions = backup.versions
        contents.rows = backup.rows.map { Row(xid: $0.xid + shift, keys: $0.keys, isOld: true) }
        let xid = takeXid()
        if notesEverything { contents.rows.append(Row(xid: xid, keys: [ChangeKey.everything])) }
        complete(xid)
        untold.append(Change(key: nil, at: now))
        flush()
        replicate()
        note()
    }

    mutating func ageRows() {
        for index in contents.rows.indices { contents.rows[index].isOld = true }
    }

    /// As the function `delete_changes` does.
    mutating func deleteChanges() {
        guard contents.table != nil else { return }
        let (xmin, xmax, _) = snapshot
        let xid = takeXid()
        if let bound = contents.rows.filter({ $0.isOld && $0.xid < xmin }).map(\.xid).max() {
            contents.rows.removeAll { $0.xid < bound }
        }
        contents.rows.removeAll { $0.xid >= xmax }
        if contents.rows.isEmpty { contents.rows.append(Row(xid: xid, keys: [])) }
        complete(xid)
    }

    // MARK: Checks

    private var snapshot: (xmin: Int, xmax: Int, running: [Int]) {
        let xmax = contents.latestCompleted + 1
        let running = running.map(\.xid).filter { $0 < xmax }.sorted()
        return (running.first ?? xmax, xmax, running)
    }

    /// What the statement of a check returns; `nil` if it fails, because the table is gone.
    func answer(since asked: Changes.Point?, asStandby: Bool) -> Answer? {
        var server = self
        if asStandby {
            server.contents = replicated
            server.running = []
        }
        guard let table = server.contents.table else { return nil }
        let (xmin, xmax, running) = server.snapshot
        let list = running.map { "\($0)" }.joined(separator: ",")
        guard let snapshot = Changes.Snapshot("\(xmin):\(xmax):\(list)") else { return nil }
        let from = asked.flatMap { Int($0.snapshot.start) }
        let end = asked.flatMap { Int($0.snapshot.end) } ?? .max
        let hidden = Set(asked?.snapshot.running.split(separator: ",").compactMap { Int($0) } ?? [])
        let keys = server.contents.rows
            .filter { $0.xid >= end && $0.xid < xmax || hidden.contains($0.xid) }
            .flatMap(\.keys).prefix(Changes.limit + 1)
        return Answer(
            point: Changes.Point(
                snapshot: snapshot,
                server: Changes.Server(start: start, timeline: "\(1000 + timeline)"),
                crash: crash, table: table, day: day),
            isStandby: asStandby,
            isComplete: from.map { from in server.contents.rows.contains { $0.xid <= from } }
                ?? false,
            keys: Array(keys))
    }
}
