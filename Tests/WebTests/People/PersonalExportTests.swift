import Foundation
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

@Suite("The export of a person", .blocking)
struct PersonalExportTests {
    @Test("has the members that what is stored about people is declared to be in")
    func members() throws {
        let declared = StoredData.all.flatMap(\.parts).reduce(into: Set<String>()) {
            if case .members(let names) = $1.export { $0.formUnion(names) }
        }
        let members = Set(PersonalExport.document.members.map { "\($0.name)" })
        #expect(members == declared.union(["exportedAt"]))
    }

    /// Columns of what is stored that are not in the document, by the reason.
    private static let leftOut: [String: Set<String>] = [
        "a number of ours, which says nothing about the person": [
            "snapshots.id",
            "snapshot_entries.snapshot_id",
            "snapshot_entries.entry_id",
            "snapshot_entries.hidden_by",
            "identities.id",
            "passkeys.id",
            "sessions.app_id",
            "circle_members.id",
            "reports.case_id",
            "moderation_actions.id",
            "moderation_actions.entry_id",
            "hidden_comments.action_id",
            "hidden_comments.entry_id",
            "hidden_circles.action_id",
            "hidden_circles.circle_id",
            "imports.id",
            "import_rows.import_id",
        ],
        "the person themselves": [
            "blocks.blocker_id",
            "circle_webhooks.owner_id",
            "reports.reporter",
            "reports.reporter_id",
        ],
        "the other person's name is there instead": [
            "follows.follower_id",
            "follows.followed_id",
        ],
        "made from what is there": [
            "lists.audience",
            "entries.audience",
            "mail_addresses.canonical",
            "mail_verifications.canonical",
            "hidden_comments.game_id",
        ],
        "a secret": [
            "passwords.hash"
        ],
        "the document says whether, and not from when": [
            "users.next_snapshot_year",
            "former_usernames.left_at",
            "mail_addresses.verified_at",
            "moderation_actions.undone_at",
        ],
        "how long it is still stored follows from the rest": [
            "mail_verifications.expires_at",
            "sessions.expires_at",
        ],
        "for our bounds and upkeep": [
            "passkeys.counter",
            "circle_members.seat",
            "circle_members.place",
            "circle_members.owned",
            "news_visits.since",
            "imports.worked_at",
        ],
        "the circle's name is there": [
            "hidden_circles.slug",
            "hidden_circles.description",
        ],
    ]

    @Test("has every value that is stored, of every table and row")
    func values() async throws {
        let person = try ExportedPerson()
        let document = try await person.document()
        let leftOut = Self.leftOut.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        var missing: Set<String> = []
        for (table, members) in ExportedPerson.tables {
            let exported = members.reduce(into: Set<String>()) {
                $0.formUnion(Self.leaves(document[$1] ?? []).map(\.text))
            }
            let stored = try person.values(of: table)
            #expect(!stored.isEmpty, "the person has none of \(table)")
            for (column, value) in stored where !exported.contains(value) {
                missing.insert("\(table).\(column)")
                guard !leftOut.contains("\(table).\(column)") else { continue }
                Issue.record("\(value) of \(table).\(column) is in none of \(members.sorted())")
            }
        }
        #expect(missing == leftOut)
    }

    @Test("has a value in every member, for someone who has everything")
    func allMembers() async throws {
        let document = try await ExportedPerson().document()
        let paths = Dictionary(grouping: Self.leaves(document), by: \.path)
        let empty = paths.filter { path, leaves in
            leaves.allSatisfy { $0.text.isEmpty }
                && !paths.keys.contains { $0.hasPrefix(path + ".") }
        }
        // What a later snapshot no longer has is where it was.
        #expect(empty.map(\.key) == ["snapshots.gone.previousPosition"])
    }

    /// The texts, numbers and empty parts of a document, each with where it is.
    private static func leaves(
        _ value: Any, at path: String = ""
    ) -> [(path: String, text: String)] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { leaves($1, at: path.isEmpty ? $0 : "\(path).\($0)") }
        case let array as [Any] where !array.isEmpty: array.flatMap { leaves($0, at: path) }
        case let text as String: [(path, text)]
        case let number as NSNumber: [(path, number.stringValue)]
        default: [(path, "")]
        }
    }

    @Test("has every way in, and nothing that opens one")
    func waysIn() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let codes = try RecoveryTests.makeCodes(rob)
            #expect(Set(codes).count == 10)
            try server.execute(
                """
                INSERT INTO passkeys (user_id, credential_id, public_key, counter, name)
                SELECT id, sha256('passkey'), sha256('key'), 0, 'My phone' FROM users;
                INSERT INTO personal_tokens (user_id, token_hash, name, scopes)
                SELECT id, sha256('token'), 'My sheet', ARRAY['read'] FROM users;
                INSERT INTO invitations (user_id, token_hash, uses, uses_left, expires_at)
                SELECT id, sha256('used'), 1, 0, now() - interval '1 day' FROM users;
                INSERT INTO password_resets (token_hash, user_id, expires_at)
                SELECT sha256('reset'), id, now() + interval '1 hour' FROM users;
                INSERT INTO follow_feeds (user_id, token_hash) SELECT id, sha256('feed') FROM users
                """)
            let file = try rob.get("/settings/export")
            let json = try file.object
            #expect(json.object("recoveryCodes").int("unused") == 10)
            #expect(json.object("recoveryCodes").string("createdAt") != nil)
            #expect(json.objects("knownBrowsers").count == 1)
            #expect(json.objects("knownBrowsers")[0].string("usedAt") != nil)
            #expect(json.objects("passkeys").map { $0.string("name") } == ["My phone"])
            #expect(json.objects("tokens").map { $0.string("name") } == ["My sheet"])
            #expect(json.objects("invitations").map { $0.int("usesLeft") } == [0])
            #expect(json.object("followFeed").string("createdAt") != nil)
            for code in codes { #expect(!file.text.contains(code)) }
            let digests: [String] = try server.database.session().query(
                """
                SELECT array_agg(d) FROM (
                    SELECT hash FROM recovery_codes UNION SELECT token_hash FROM known_devices
                    UNION SELECT token_hash FROM sessions
                    UNION SELECT token_hash FROM personal_tokens
                    UNION SELECT token_hash FROM invitations UNION SELECT credential_id FROM passkeys
                    UNION SELECT public_key FROM passkeys UNION SELECT token_hash FROM follow_feeds
                    UNION SELECT token_hash FROM password_resets
                ) secrets (secret), unnest(ARRAY[encode(secret, 'hex'), encode(secret, 'base64')]) d
                """)[0][0]
            #expect(digests.count >= 30)
            for digest in digests { #expect(!file.text.contains(digest.prefix(16))) }
        }
    }
}
