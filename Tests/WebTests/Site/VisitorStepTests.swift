import Endpoints
import Foundation
import Identity
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite("The step that recognises visitors", .blocking)
struct VisitorStepTests {
    @Test("finds who is signed in, for pages only")
    func recognised() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        let rob: UUID = try session.query(
            "INSERT INTO users (username, display_name) VALUES ('rob', 'Rob') RETURNING id")[0][0]
        let token = SecretToken()
        try session.query(
            """
            INSERT INTO sessions (kind, user_id, token_hash, expires_at)
            VALUES ('browser', $1, $2, now() + interval '1 day')
            """, [.uuid(rob), .bytes(token.hash)])
        try await Services.on(database) { services, pool in
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                for (target, cookie, isKnown) in [
                    ("/me", "\(Browser.sessionCookie)=\(token.text)", true),
                    ("/me", "other=x", false),
                    ("/me", "\(Browser.sessionCookie)=\(SecretToken().text)", false),
                    ("/api/v1/me", "\(Browser.sessionCookie)=\(token.text)", false),
                ] {
                    var context = try IncomingRequest(
                        services, target: target, fields: [.cookie: cookie])
                    try await VisitorStep(
                        languages: PageLanguages(services.settings, Routes.router)
                    ).recognise(&context, services)
                    #expect(context.visitor?.user.id == (isKnown ? rob : nil))
                }
            }
        }
    }
}
