import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("What is held about a person", .blocking)
struct ExportTests {
    private let database: TestDatabase

    private var session: BlockingSession { get throws { try database.session() } }

    init() throws {
        database = try TestDatabase()
    }

    private func held(_ user: UUID) async throws -> PersonalData {
        try #require(try await withStore(database) { try await $0.personalData(userID: user) })
    }

    @Test("is read as it is")
    func everything() async throws {
        let rob = try database.makeUser("robert")
        let games = try database.games(on: [ps4, pc], 3)
        let comment = "He said \"why?\" — \\ 🎮\n<b>"
        let hash = "$scrypt$ln=4,r=8,p=3$c2VjcmV0LXNhbHQ$c2VjcmV0LWtleS1zZWNyZXQta2V5"
        let tokens: [[UInt8]] = [16, 64, 128].map { first in Array(first..<first + 32) }
        try await withStore(database) { store async throws in
            let lifetime = SessionLifetime(idle: .seconds(3600), absolute: .seconds(36_000))
            for (name, bio) in [("bobby", "Before."), ("rob", "Plays\t\"games\".")] {
                _ = try await store.change(
                    userID: rob,
                    ProfileChanges(
                        username: Username(name), displayName: DisplayName("Rob \"R\""),
                        bio: Bio(bio), visibility: .unlisted))
            }
            for title in ["Mine \"then\"", "Mine later"] {
                try await store.put(
                    games.map { Pick(game: $0, platform: ps4) }, for: rob, comment: comment)
                let title = try #require(SnapshotTitle(title))
                _ = try await store.takeSnapshot(userID: rob, title: title)
            }
            for subject in ["subject-1", "subject-2"] {
                _ = try await store.link(
                    userID: rob, issuer: "https://id.example", subject: subject)
            }
            try await store.setPassword(hash: hash, confirmedBy: Confirmation(userID: rob))
            for kind in [SessionKind.browser, .api] {
                let token = tokens[kind == .api ? 1 : 0]
                _ = try await store.openSession(
                    kind, userID: rob, tokenHash: token, familyHash: kind == .api ? token : nil,
                    by: .password(hash: hash), lifetime: lifetime)
                try await store.rememberDevice(userID: rob, tokenHash: token)
            }
            let confirmation = try database.confirmation(rob, hash: hash)
            try await store.replaceRecoveryCodes(hashes: tokens, confirmedBy: confirmation)
        }
        let data = try await held(rob)
        let user = data.account.list.owner
        #expect(user.id == rob && user.username == "rob" && user.displayName == "Rob \"R\"")
        #expect(user.bio == "Plays \"games\"." && user.visibility == .unlisted)
        #expect(data.account.formerUsernames == ["bobby", "robert"])
        #expect(data.account.disabledAt == nil && data.account.passwordChangedAt != nil)
        #expect(abs(data.account.readAt.timeIntervalSince(user.createdAt)) < 600)

        let entries = data.account.list.entries
        #expect(entries.map(\.game.id) == games && entries.map(\.position) == [1, 2, 3])
        #expect(entries.allSatisfy { $0.comment == comment && $0.platform.id == ps4 })
        let snapshots = data.account.snapshots
        #expect(snapshots.map(\.list.summary.title) == ["Mine later", "Mine \"then\""])
        #expect(snapshots.map(\.list.previous?.title) == ["Mine \"then\"", nil])
        for (list, showedRatings) in snapshots {
            #expect(list.entries.map(\.game.id) == games && !showedRatings)
            #expect(list.entries.allSatisfy { $0.comment == comment })
        }

        #expect(data.waysIn.identities.map(\.subject) == ["subject-1", "subject-2"])
        #expect(Set(data.waysIn.sessions.map(\.kind)) == [.browser, .api])
        #expect(data.waysIn.knownBrowsers.count == 2)
        #expect(data.waysIn.recoveryCodes?.unused == 3)
        var text = ""
        dump(data, to: &text)
        for secret in ["scrypt", "c2VjcmV0", "ln=4"] { #expect(!text.contains(secret)) }
    }

    @Test("is of one moment, whatever is written meanwhile")
    func moment() async throws {
        let rob = try database.makeUser("rob")
        let games = try database.games(on: [ps4], 1)
        try database.insert(games, for: rob)
        let data = try await withStore(database) { [database] store async throws in
            try await store.inSnapshot { transaction async throws in
                var statements = 0
                let meddler = Listener(transaction) {
                    // After the first statement, which takes the snapshot.
                    statements += 1
                    guard statements == 2 else { return }
                    try database.session().execute(
                        """
                        DELETE FROM entries;
                        INSERT INTO passwords (user_id, hash) SELECT id, '$scrypt$x' FROM users;
                        INSERT INTO identities (issuer, subject, user_id)
                        SELECT 'https://id.example', 'one', id FROM users;
                        INSERT INTO known_devices (user_id, token_hash)
                        SELECT id, sha256('x') FROM users;
                        INSERT INTO invitations (user_id, token_hash, uses, uses_left, expires_at)
                        SELECT id, sha256('x'), 1, 1, now() + interval '1 day' FROM users
                        """)
                }
                return try await PersonalData(of: rob, by: meddler)
            }
        }
        let before = try #require(data)
        #expect(before.account.list.entries.map(\.game.id) == games)
        #expect(before.waysIn.identities.isEmpty && before.waysIn.knownBrowsers.isEmpty)
        #expect(before.relations.invitations.isEmpty)
        let after = try await held(rob)
        #expect(after.account.list.entries.isEmpty && after.account.passwordChangedAt != nil)
        #expect(after.waysIn.identities.count == 1 && after.waysIn.knownBrowsers.count == 1)
        #expect(after.relations.invitations.count == 1)
    }

    @Test("names the people whom someone follows, and those who follow them, while they are public")
    func follows() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        let games = try database.games(on: [ps4], 1)
        try database.insert(games, for: ada, comment: "Why.")
        try session.execute(
            """
            INSERT INTO follows (follower_id, followed_id)
            SELECT a.id, b.id FROM users a, users b WHERE a.id <> b.id;
            INSERT INTO hearts (entry_id, user_id)
            SELECT e.id, u.id FROM entries e, users u WHERE u.username = 'rob'
            """)
        try await withStore(database) { store async throws in
            #expect(
                try await store.makeFollowFeed(
                    of: rob, in: nil, tokenHash: Array(repeating: 7, count: 32)))
        }
        for (visibility, name) in [(Visibility.public, "ada"), (.unlisted, nil)] {
            try database.set(visibility, of: ada)
            let relations = try await held(rob).relations
            #expect(relations.following.map(\.username) == [name])
            #expect(relations.followers.map(\.username) == [name])
            #expect(relations.hearts.map(\.username) == [name])
            #expect(relations.hearts.map(\.game?.id) == [name == nil ? nil : games[0]])
            #expect((relations.hearts[0].entryID == nil) == (name == nil))
            #expect(relations.followFeedMadeAt != nil)
        }
    }

    @Test("has all that moderators did, and the names and comments that they hid")
    func notices() async throws {
        let rob = try database.makeUser("rob")
        let circle = try await withStore(database) { store in
            try await store.makeCircle(
                of: rob, name: try #require(CircleName("Vile club")), description: .empty,
                visibility: .public)
        }
        try session.execute(
            """
            INSERT INTO moderation_actions (action, user_id, reason, done_at, undone_at)
            SELECT action, id, action, now() - interval '2 years', now() - interval '1 year'
            FROM users, unnest(ARRAY['dismiss', 'suspend', 'hide_circle']) action;
            INSERT INTO hidden_circles
            SELECT id, '\(circle)', 'vile-club', 'Vile club', '' FROM moderation_actions
            WHERE action = 'hide_circle'
            """)
        let notices = try await held(rob).relations.notices
        #expect(notices.map(\.action) == [.hideCircle, .suspend])
        #expect(notices.map(\.circle) == ["Vile club", nil])
    }

    @Test("has all rows of an import, also those that were not looked for")
    func rows() async throws {
        let rob = try database.makeUser("rob")
        var named = ImportedRow(line: 2)
        named.name = "Portal"
        named.tags = try Tags(commaSeparated: "puzzle, short")
        named.comment = try Comment("Cake.")
        named.gameID = 71
        var nameless = ImportedRow(line: 3)
        nameless.finding = .noName
        let rows = [named, nameless]
        let data = try await withStore(database) { store async throws in
            _ = try await store.beginImport(StoredImport(rows), fileName: "a.csv", userID: rob)
            return try await store.personalData(userID: rob)
        }
        let (file, stored) = try #require(data?.account.gameImport)
        #expect(file.fileName == "a.csv" && file.doneCount == 1)
        #expect(stored.map(\.row) == rows)
    }

    @Test("of someone who has nothing has empty parts")
    func nothing() async throws {
        let data = try await held(database.makeUser("rob"))
        #expect(data.account.passwordChangedAt == nil && data.account.gameImport == nil)
        #expect(data.account.formerUsernames.isEmpty && data.account.snapshots.isEmpty)
        #expect(data.account.list.entries.isEmpty)
        #expect(data.account.list.owner.listUpdatedAt == nil)
        #expect(data.waysIn.identities.isEmpty && data.waysIn.sessions.isEmpty)
        #expect(data.waysIn.recoveryCodes == nil && data.waysIn.knownBrowsers.isEmpty)
        #expect(data.relations.circles.isEmpty && data.relations.notices.isEmpty)
        try await withStore(database) { store async throws in
            let nobody = try await store.personalData(userID: UUID())
            #expect(nobody == nil)
        }
    }

    @Test("is there for the private and the disabled, too")
    func hidden() async throws {
        let rob = try database.makeUser("rob")
        try database.set(.private, of: rob)
        try database.setDisabled(true, rob)
        let data = try await held(rob)
        #expect(data.account.list.owner.visibility == .private)
        #expect(data.account.disabledAt != nil)
    }
}
