import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage

@Suite("An export", .blocking)
struct ExportTests {
    private let database: TestDatabase

    private var session: BlockingSession { get throws { try database.session() } }

    init() throws {
        database = try TestDatabase()
    }

    private func object(_ value: Any?) throws -> [String: Any] {
        try #require(value as? [String: Any])
    }

    private func objects(_ value: Any?) throws -> [[String: Any]] {
        try #require(value as? [[String: Any]])
    }

    private func isTime(_ value: Any?) -> Bool {
        (value as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
    }

    @Test("has everything that is held about a user, and no secret")
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
            try await store.put(
                games.map { Pick(game: $0, platform: ps4) }, for: rob, comment: comment)
            let title = try #require(KeptListTitle("Mine \"then\""))
            _ = try await store.keepList(userID: rob, title: title)
            for subject in ["subject-1", "subject-2"] {
                _ = try await store.link(
                    userID: rob, issuer: "https://id.example", subject: subject)
            }
            try await store.setPassword(hash: hash, confirmedBy: Confirmation(userID: rob))
            _ = try await store.openSession(
                .browser, userID: rob, tokenHash: tokens[0], by: .password(hash: hash),
                lifetime: lifetime)
            _ = try await store.openSession(
                .api, userID: rob, tokenHash: tokens[1], familyHash: tokens[1],
                by: .password(hash: hash), lifetime: lifetime)
            _ = try await store.refreshSession(
                familyHash: tokens[1], tokenHash: tokens[1], nextTokenHash: tokens[2],
                lifetime: lifetime)
        }
        let text = try #require(
            try await withStore(database) { try await $0.export(userID: rob) })
        let export = try object(JSONSerialization.jsonObject(with: Data(text.utf8)))
        #expect(
            Set(export.keys) == [
                "exportedAt", "user", "list", "keptLists", "password", "identities", "sessions",
                "tokens", "mailAddress", "passkeys", "circles",
                "pendingMailAddress", "notices", "reports", "invitations",
                "following", "followers", "followFeed", "hearts", "import",
            ])
        #expect(isTime(export["exportedAt"]))

        let user = try object(export["user"])
        #expect(user["username"] as? String == "rob")
        #expect(user["formerUsernames"] as? [String] == ["robert", "bobby"])
        #expect(user["displayName"] as? String == "Rob \"R\"")
        #expect(user["bio"] as? String == "Plays \"games\".")
        #expect(user["visibility"] as? String == "unlisted")
        #expect((user["id"] as? String).flatMap { UUID(uuidString: $0) } == rob)
        #expect(isTime(user["createdAt"]))
        #expect(user["disabledAt"] is NSNull)

        let list = try object(export["list"])
        #expect(isTime(list["updatedAt"]))
        let entries = try objects(list["entries"])
        #expect(entries.map { $0["gameId"] as? Int } == games)
        #expect(entries.map { $0["position"] as? Int } == [1, 2, 3])
        for entry in entries {
            #expect(entry["comment"] as? String == comment)
            #expect(entry["platformId"] as? Int == ps4)
            #expect((entry["platform"] as? String)?.contains("PlayStation") == true)
            #expect((entry["game"] as? String)?.isEmpty == false)
            #expect(isTime(entry["createdAt"]) && isTime(entry["updatedAt"]))
        }

        let kept = try objects(export["keptLists"])
        #expect(kept.map { $0["title"] as? String } == ["Mine \"then\""])
        #expect(isTime(kept.first?["keptAt"]))
        let keptEntries = try objects(kept.first?["entries"])
        #expect(keptEntries.map { $0["gameId"] as? Int } == games)
        #expect(keptEntries.allSatisfy { $0["comment"] as? String == comment })
        #expect(keptEntries.allSatisfy { $0["isCommentHidden"] as? Bool == false })

        #expect(Set(try object(export["password"]).keys) == ["changedAt"])
        let identities = try objects(export["identities"])
        #expect(identities.map { $0["subject"] as? String } == ["subject-1", "subject-2"])
        #expect(identities.map { $0["issuer"] as? String }.contains("https://id.example"))
        let sessions = try objects(export["sessions"])
        #expect(sessions.map { $0["kind"] as? String } == ["browser", "api"])
        for key in ["createdAt", "seenAt", "expiresAt"] {
            #expect(sessions.filter { isTime($0[key]) }.count == 2)
        }

        for secret in ["scrypt", "c2VjcmV0", "ln=4"] { #expect(!text.contains(secret)) }
        for token in tokens {
            let hexadecimal = token.map { String($0, radix: 16) }.joined()
            #expect(!text.lowercased().contains(hexadecimal.suffix(16)))
            #expect(!text.contains(Data(token).base64EncodedString().prefix(12)))
        }
        // The same to an operator.
        let other = try #require(try BulkStore(session).export(userID: rob))
        let again = try object(JSONSerialization.jsonObject(with: Data(other.utf8)))
        #expect(Set(again.keys) == Set(export.keys))
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
            let text = try #require(
                try await withStore(database) { try await $0.export(userID: rob) })
            let export = try object(JSONSerialization.jsonObject(with: Data(text.utf8)))
            for part in ["following", "followers", "hearts"] {
                let rows = try objects(export[part])
                #expect(rows.map { $0["username"] as? String } == [name], "\(part)")
            }
            #expect(try objects(export["hearts"])[0]["game"] is String == (name != nil))
            #expect(try objects(export["hearts"])[0]["entryId"] is String == (name != nil))
            #expect(isTime(try object(export["followFeed"])["madeAt"]))
            #expect(!text.contains("07070707"))
        }
    }

    @Test("of someone who has nothing has empty parts")
    func nothing() async throws {
        let rob = try database.makeUser("rob")
        try await withStore(database) { store async throws in
            let text = try #require(try await store.export(userID: rob))
            let export = try object(JSONSerialization.jsonObject(with: Data(text.utf8)))
            #expect(export["password"] is NSNull)
            for part in ["identities", "sessions"] { #expect(try objects(export[part]).isEmpty) }
            let list = try object(export["list"])
            #expect(try objects(list["entries"]).isEmpty)
            #expect(list["updatedAt"] is NSNull)
            #expect(try object(export["user"])["formerUsernames"] as? [String] == [])
            #expect(try await store.export(userID: UUID()) == nil)
        }
    }

    @Test("is there for the private and the disabled, too")
    func hidden() throws {
        let rob = try database.makeUser("rob")
        try database.set(.private, of: rob)
        try database.setDisabled(true, rob)
        let text = try #require(try BulkStore(session).export(userID: rob))
        let export = try object(JSONSerialization.jsonObject(with: Data(text.utf8)))
        let user = try object(export["user"])
        #expect(user["visibility"] as? String == "private")
        #expect(isTime(user["disabledAt"]))
    }
}
