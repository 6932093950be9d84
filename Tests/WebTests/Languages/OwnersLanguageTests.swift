import Languages
import TestSupport
import Testing
import Views

@Suite("What others see of someone’s list outside of pages", .blocking)
struct OwnersLanguageTests {
    private static let settings = ["SITE_LANGUAGES": "en,en-XA"]

    @Test("is in the language of the list’s owner: the feed, the embedded list and the picture")
    func owner() async throws {
        try await TestServer.run(.migrated, settings: Self.settings) { server in
            _ = try await server.makeUser("rob")
            func feed() throws -> String { try server.send("GET", "/@rob/feed").text }
            func embed() throws -> String { try server.send("GET", "/@rob/embed").text }
            func picture() throws -> String? {
                try server.send("GET", "/@rob/card-00000000000000000000000000000000.png")[
                    "location"]
            }
            let english = try picture()
            #expect(try english != nil && feed().contains(#"xml:lang="en""#))
            #expect(try embed().contains(#"<html lang="en">"#))
            try server.database.session().execute("UPDATE users SET language = 'en-XA'")
            #expect(try feed().contains(#"xml:lang="en-XA""#))
            #expect(try embed().contains(#"<html lang="en-XA">"#))
            let message = Words.isStillChoosing.string(in: .accented)
            #expect(try embed().contains(message))
            #expect(try picture() != english)
        }
    }
}
