import Foundation
@_spi(Writing) import Storage
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
