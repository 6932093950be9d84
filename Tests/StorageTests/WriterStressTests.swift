import FaveGames
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Writers take their locks in one order, which `Migrations/0001_names.sql` says.
@Suite("Writers of every kind", .blocking)
struct WriterStressTests {
    private let database: TestDatabase
    private let games: [Int]
    private let moderator: UUID
    private let people: People

    /// Everyone who writes: few enough to get into each other's way.
    private final class People: Sendable {
        private let users: Mutex<[User]>
        private let count = Mutex(0)

        init(_ users: [User]) { self.users = Mutex(users) }

        var any: User {
            users.withLock { $0[Int.random(in: 0..<$0.count)] }
        }

        func replace(_ user: User, by other: User) {
            users.withLock { users in
                guard let index = users.firstIndex(where: { $0.id == user.id }) else { return }
                users[index] = other
            }
        }

        /// A number that nobody else gets.
        func nextNumber() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    init() async throws {
        let database = try TestDatabase()
        self.database = database
        games = try database.games(on: [ps4, pc], 6)
        moderator = try database.makeUser("moderator")
        let session = try database.session()
        try session.execute("UPDATE users SET role = 'admin'")
        let ids = try (0..<16).map { try database.makeUser("user-\($0)") }
        // Old enough for their hearts to have weight.
        try session.execute(
            """
            UPDATE users SET created_at = now() - interval '30 days', next_snapshot_year = 2026
            """)
        people = People(try await Self.users(ids, in: database))
    }

    private static func users(_ ids: [UUID], in database: TestDatabase) async throws -> [User] {
        try await withStore(database) { store in
            var users: [User] = []
            for id in ids { users.append(try #require(try await store.user(id: id))) }
            return users
        }
    }

    private typealias Writer = @Sendable (WriterStressTests, Store) async throws -> Void

    /// As often as they are here, compared with each other.
    private static let writers: [(weight: Int, write: Writer)] = [
        (8, { try await $0.save(by: $1) }), (4, { try await $0.replaceGames(by: $1) }),
        (8, { try await $0.giveHearts(by: $1) }), (2, { try await $0.takeHearts(by: $1) }),
        (3, { try await $0.moderate(by: $1) }), (2, { try await $0.undo(by: $1) }),
        (2, { try await $0.changeProfile(by: $1) }), (1, { try await $0.replacePerson(by: $1) }),
        (2, { try await $0.takeSnapshot(by: $1) }), (2, { try await $0.follow(by: $1) }),
        (2, { try await $0.block(by: $1) }),
        (2, { try await $0.join(by: $1) }), (1, { try await $0.handOver(by: $1) }),
        (2, { try await $0.tellWebhooks(by: $1) }), (1, { try await $0.showAdultGames(by: $1) }),
        (1, { try await $0.importGames(by: $1) }), (1, { try await $0.renameGames(by: $1) }),
        (2, { _ = try await $1.weighHearts() }),
        (1, { _ = try await $1.maintain(.endTerms, ifDue: false) }),
        (1, { try await $1.takeYearlySnapshots(on: "20\(Int.random(in: 26...60))-12-31") }),
    ]

    // MARK: Lists and hearts

    private func pick() throws -> DraftEntry {
        DraftEntry(
            gameID: games.randomElement() ?? 0, platformID: Bool.random() ? ps4 : pc,
            comment: try Comment("Why \(Int.random(in: 0..<3))"))
    }

    /// Another list, of which some entries stay.
    private func save(by store: Store) async throws {
        _ = try await store.changeList(userID: people.any.id) { list in
            var draft = ListDraft(list)
            for entry in list.entries where Bool.random() { try draft.remove(entry.id) }
            for _ in 0..<Int.random(in: 1...3) { try draft.insert(pick(), at: nil) }
            return draft
        }
    }

    /// One entry fewer, and one that stays takes the game of the one that is gone.
    private func replaceGames(by store: Store) async throws {
        _ = try await store.changeList(userID: people.any.id) { list in
            var draft = ListDraft(list)
            guard let first = list.entries.first, let last = list.entries.last, first != last
            else { return draft }
            try draft.remove(first.id)
            try draft.change(last.id) {
                ($0.gameID, $0.platformID) = (first.game.id, first.platform.id)
            }
            return draft
        }
    }

    private func entries(_ store: Store) async throws -> [Entry] {
        try await store.list(userID: people.any.id)?.entries ?? []
    }

    private func giveHearts(by store: Store) async throws {
        let giver = people.any.id
        for entry in try await entries(store) {
            _ = try await store.giveHeart(to: entry.id, by: giver)
        }
    }

    private func takeHearts(by store: Store) async throws {
        let giver = people.any.id
        for entry in try await entries(store) {
            try await store.takeHeart(from: entry.id, by: giver)
        }
    }

    private func takeSnapshot(by store: Store) async throws {
        let owner = people.any.id
        for list in try await store.snapshots(userID: owner).dropFirst(3) {
            let slug = try #require(SnapshotSlug(list.slug))
            try await store.deleteSnapshot(slug: slug, of: owner)
        }
        _ = try await store.takeSnapshot(userID: owner, title: SnapshotTitle(year: 2026))
    }

    // MARK: People

    private func changeProfile(by store: Store) async throws {
        let user = people.any
        _ = try await store.change(
            userID: user.id,
            ProfileChanges(
                displayName: DisplayName("Name \(Int.random(in: 0..<9))"),
                visibility: Visibility.allCases.randomElement(), takesYearlySnapshots: Bool.random()
            ))
    }

    /// Deletes an account. Somebody else signs up.
    private func replacePerson(by store: Store) async throws {
        let user = people.any
        let name = try #require(Username("new-\(people.nextNumber())"))
        guard let other = try await store.makeUser(username: name, passwordHash: "$scrypt$") else {
            throw TestFailure("\(name) is taken")
        }
        _ = try await store.deleteUser(id: user.id)
        people.replace(user, by: other)
    }

    private func follow(by store: Store) async throws {
        let (one, other) = (people.any, people.any)
        _ = try await store.follow(username: other.username, as: one.id)
        if Bool.random() { try await store.unfollow(username: one.username, as: other.id) }
    }

    private func block(by store: Store) async throws {
        let (one, other) = (people.any, people.any)
        _ = try await store.block(username: other.username, as: one.id)
        if Bool.random() { try await store.unblock(username: one.username, as: other.id) }
    }

    private func importGames(by store: Store) async throws {
        let owner = people.any.id
        var row = ImportedRow(line: 2)
        row.gameID = games.randomElement()
        let begun = try await store.beginImport(StoredImport([row]), fileName: "", userID: owner)
        guard let begun else { return }
        try await store.finishImport(id: begun.id)
        if Bool.random() { try await store.deleteImport(userID: owner) }
    }

    /// As a refresh from IGDB may do. The last game is for adults now and then.
    private func renameGames(by store: Store) async throws {
        try await store.keep(
            games.shuffled().prefix(3).map {
                FetchedGame(
                    game: Game(
                        id: $0, name: GameTitle("Game \(Int.random(in: 0..<99))"), releaseYear: nil,
                        coverImageID: nil),
                    type: 0, isEdition: false, ratingCount: 1, platformIDs: [ps4, pc],
                    screenshotImageIDs: [], hasAdultTheme: $0 == games.last && Bool.random())
            })
    }

    /// As a server that starts.
    private func showAdultGames(by store: Store) async throws {
        try await store.database.query(
            Statement("show_adult_games", .write, "SELECT show_adult_games($1)"),
            [.bool(Bool.random())])
        _ = try await store.maintain(.hideMissedEntries, ifDue: false)
    }

    // MARK: Circles

    private func join(by store: Store) async throws {
        let (owner, other) = (people.any.id, people.any.id)
        let own = try await store.circles(of: owner).first { $0.role == .owner }?.circle.id
        let name = try #require(CircleName("Club"))
        let id: UUID =
            if let own { own } else {
                try await store.makeCircle(
                    of: owner, name: name, description: .empty, visibility: .members)
            }
        let hash = (0..<32).map { _ in UInt8.random(in: 0...255) }
        _ = try await store.makeInvitation(
            toCircle: id, by: owner, tokenHash: hash, uses: 1, days: 1)
        _ = try await store.joinCircle(tokenHash: hash, by: other)
    }

    private func handOver(by store: Store) async throws {
        let user = people.any.id
        for own in try await store.circles(of: user).shuffled().prefix(2) {
            guard own.role == .owner else {
                try await store.leaveCircle(id: own.circle.id, by: user)
                continue
            }
            let view = try await store.circle(id: own.circle.id, seenBy: user)
            guard let member = view?.members.last else { continue }
            switch Int.random(in: 0..<3) {
            case 0: try await store.handOver(circle: own.circle.id, by: user, to: member.id)
            case 1:
                try await store.removeMember(member.id, ofCircle: own.circle.id, by: user)
            default: try await store.deleteCircle(id: own.circle.id, by: user)
            }
        }
    }

    /// Webhooks that are set and removed, and what is sent to them.
    private func tellWebhooks(by store: Store) async throws {
        let user = people.any.id
        let address = "https://example.org/"
        for own in try await store.circles(of: user).shuffled().prefix(2) where own.role == .owner {
            if Int.random(in: 0..<4) > 0 {
                try await store.setWebhook(
                    ofCircle: own.circle.id, by: user, address: address,
                    secret: Array(repeating: 1, count: 32))
            } else {
                try await store.removeWebhook(ofCircle: own.circle.id, by: user)
            }
        }
        let hurry = Statement(
            "hurry_webhook", .write,
            """
            UPDATE outgoing_webhooks SET due_at = now()
            WHERE id = (SELECT id FROM outgoing_webhooks WHERE circle_id IS NOT NULL
                        LIMIT 1 FOR UPDATE SKIP LOCKED)
            """)
        try await store.database.query(hurry)
        guard let queued = try await store.takeCircleWebhook(besidesOwners: [], hosts: [])
        else { return }
        let isDelivered = Bool.random()
        try await store.noteWebhook(
            for: queued, failure: isDelivered ? nil : "no response", hasEnded: false)
        if isDelivered {
            try await store.finish(queued.id, in: .webhooks)
        } else {
            try await store.postpone(queued.id, in: .webhooks, seconds: 0)
        }
    }

    // MARK: Moderators

    private func moderate(by store: Store) async throws {
        let user = people.any
        let name = try #require(Username(user.username))
        let entry = try await store.list(userID: user.id)?.entries.randomElement()
        let circle = try await store.circles(of: user.id).first?.circle.id
        let thing: ReportedThing =
            entry.map { .entry($0.id) } ?? circle.map { .circle($0) } ?? .list(name)
        _ = try await store.report(
            thing, by: moderator.uuidString, reporterID: moderator, reason: .spam, note: .empty)
        for found in try await store.openCases(after: 0, for: moderator) where Bool.random() {
            let decision: ModerationDecision =
                switch Int.random(in: 0..<5) {
                case 0: .suspend(days: 1)
                case 1: .hideList
                case 4: .hideCircle
                case 2: .dismiss
                default: .hideComment
                }
            _ = try await store.decide(
                caseID: found.id, decision, reason: .empty, by: moderator)
        }
    }

    private func undo(by store: Store) async throws {
        for record in try await store.moderationLog() where record.isInForce {
            _ = try await store.undo(actionID: record.id, reason: .empty, by: moderator)
        }
    }

    // MARK: All at once

    /// Eight connections, and twice as many who want to write.
    private func run(rounds: Int) async throws {
        let writers = Self.writers.flatMap { Array(repeating: $0.write, count: $0.weight) }
        let done = Counter()
        try await withStores(2, database, connections: 4) { _, store in
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<rounds {
                            guard let write = writers.randomElement() else { return }
                            do {
                                try await write(self, store)
                                done.increment()
                            } catch let error as PostgresError {
                                // A name that has just gone, as of an account that was deleted.
                                guard error.constraint != nil else { throw error }
                            } catch {
                                // A rule of lists, circles, snapshots or imports.
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(done.value > rounds * 4)
        // A save at the same moment may have missed that a game was hidden or shown.
        try database.session().execute("SELECT move_entries(array_agg(id)) FROM games")
        #expect(try database.brokenRules() == [])
        try await expectNoDeadlock()
    }

    /// The program repeats what loses a deadlock, so only PostgreSQL knows of it.
    private func expectNoDeadlock() async throws {
        let session = try database.session()
        // A connection's numbers are complete when it is closed.
        try await eventually("the end of the connections") {
            try session.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND application_name LIKE 'fave-server%'
                """
            ).isEmpty
        }
        let deadlocks: Int = try session.query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")[0][0]
        #expect(deadlocks == 0, "\(TestCluster.shared.log(after: "deadlock detected"))")
    }

    @Test("never wait for each other in a circle, and leave right counts")
    func briefly() async throws { try await run(rounds: 40) }

    @Test("do neither in a minute", .thorough)
    func thoroughly() async throws { try await run(rounds: 1000) }
}
