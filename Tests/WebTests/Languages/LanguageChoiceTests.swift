import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Choosing a language", .blocking)
struct LanguageChoiceTests {
    private static let accented = [("Accept-Language", "en-XA, en;q=0.5")]

    @Test("makes a page, its fields and its entity tag differ")
    func fields() async throws {
        try await TestServer.runInLanguages { server in
            for target in ["/", "/about", "/nothing", "/sign-in"] {
                let english = try server.send("GET", target)
                let accented = try server.send("GET", target, fields: Self.accented)
                let mirrored = try server.send("GET", target + "?lang=ar-XB")
                for (page, tag) in [(english, "en"), (accented, "en-XA"), (mirrored, "ar-XB")] {
                    #expect(page.pageLanguage == tag && page["content-language"] == tag)
                    let vary = try #require(page["vary"])
                    #expect(vary.contains("Accept-Language") && vary.contains("Cookie"))
                    #expect(page.text.contains(#"dir="rtl""#) == (tag == "ar-XB"))
                }
                #expect(english["etag"] != accented["etag"] || english["etag"] == nil)
            }
            let other = try server.send("GET", "/api/v1/platforms", fields: Self.accented)
            #expect(other["content-language"] == nil)
            #expect(other["vary"]?.contains("Language") != true)
        }
    }

    @Test("is that of someone who signs up in it, unless it is the site’s")
    func signUp() async throws {
        try await TestServer.runInLanguages { server in
            for (name, tag) in [("ann", "en-XA"), ("bob", "en")] {
                let browser = Browser(server)
                try browser.get("/language?to=\(tag)")
                let opened = try browser.signUp(name)
                #expect(opened.status == 303)
                let stored: String? = try server.database.session().query(
                    "SELECT language FROM users WHERE username = $1", [.text(name)])[0][0]
                #expect(stored == (tag == "en" ? nil : tag))
            }
        }
    }

    @Test("is offered on an error’s page without what led to the error")
    func errors() async throws {
        try await TestServer.runInLanguages { server in
            for target in ["/nothing?evil", "/sign-in/with/none?state=evil"] {
                let page = try server.send("GET", target)
                #expect(page.status >= 400 && page.text.contains("/language?to="), "\(target)")
                #expect(!page.text.contains("evil"), "\(target)")
            }
        }
    }

    @Test("is not offered where there is only one, and costs nothing there")
    func single() async throws {
        try await TestServer.run(.migrated, settings: ["SITE_LANGUAGES": "en"]) { server in
            for fields in [[], Self.accented, [("Cookie", "__Host-language=en-XA")]] {
                let page = try server.send("GET", "/?lang=en-XA", fields: fields)
                #expect(page.pageLanguage == "en" && page["content-language"] == "en")
                #expect(page["vary"]?.contains("Language") == false)
                #expect(!page.text.contains("hreflang") && !page.text.contains("/language?"))
            }
            let rob = try server.browser("rob")
            #expect(try !rob.get("/settings").text.contains(#"name="language""#))
            #expect(try !server.send("GET", "/privacy").text.contains("language"))
        }
        try await TestServer.run(.migrated, settings: ["SITE_LANGUAGE": "ar-XB"]) { server in
            #expect(try server.send("GET", "/about").pageLanguage == "ar-XB")
            let english = try server.send("GET", "/about", fields: [("Accept-Language", "en")])
            #expect(english.pageLanguage == "en")
        }
    }

    @Test("at the foot of a page sets a cookie, and returns to the page")
    func links() async throws {
        try await TestServer.runInLanguages { server in
            let browser = Browser(server)
            let page = try browser.get("/entries?lang=en&rating=5")
            for tag in ["en", "en-XA", "ar-XB"] {
                #expect(
                    page.text.contains(
                        #"<a href="/language?to=\#(tag)&amp;return="#
                            + #"%2Fentries%3Frating%3D5" rel="nofollow" lang="\#(tag)" "#
                            + #"hreflang="\#(tag)"\#(tag == "en" ? #" aria-current="true""# : "")>"#
                    ),
                    "\(tag)")
            }
            #expect(page.text.contains(">[Éñĝľîšĥ]</a>"))
            let response = try browser.get("/language?to=ar-xb&return=%2Fentries%3Frating%3D5")
            #expect(response.status == 303 && response["location"] == "/entries?rating=5")
            let cookie = try #require(response["set-cookie"])
            #expect(
                cookie.hasPrefix("__Host-language=ar-XB; Path=/; HttpOnly; SameSite=Lax; Secure"))
            #expect(response["cache-control"] == "no-store")
            for target in ["/", "/about", "/nothing"] {
                #expect(try browser.get(target, fields: Self.accented).pageLanguage == "ar-XB")
            }
            // On the pages for signing in, too.
            let signIn = try browser.get("/sign-in?return=%2Fme")
            #expect(signIn.text.contains("return=%2Fsign-in%3Freturn%3D%252Fme\""))
            let back = try browser.get("/language?to=en&return=%2Fsign-in%3Freturn%3D%252Fme")
            #expect(back["location"] == "/sign-in?return=%2Fme")
            #expect(
                try server.send("GET", "/privacy").text.contains("with the language you’ve chosen"))
        }
    }

    @Test(
        "returns to no other site",
        arguments: [
            "https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "evil",
            "", "/a b", "/%0d%0aSet-Cookie:x",
        ])
    func redirects(address: String) async throws {
        let escaped = try #require(
            address.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try await TestServer.runInLanguages { server in
            let response = try server.send("GET", "/language?to=en-XA&return=\(escaped)")
            #expect(response.status == 303 && response["location"] == "/")
            let unknown = try server.send("GET", "/language?to=de&return=%2Fabout")
            #expect(unknown.status == 303 && unknown["location"] == "/about")
            #expect(unknown["set-cookie"] == nil)
        }
    }

    @Test("by an account is preferred to the browser's, and is changed in the settings")
    func accounts() async throws {
        try await TestServer.runInLanguages { server in
            let rob = try server.browser("rob")
            #expect(try rob.get("/settings").text.contains(#"<option value="">"#))
            func save(_ language: String) throws -> RawResponse {
                try rob.get("/settings")
                return try rob.post(
                    "/settings/profile",
                    [
                        "displayName": "Rob", "bio": "", "visibility": "public",
                        "showsRatings": "no", "language": language,
                    ])
            }
            #expect(try save("ar-XB").status == 303)
            let page = try rob.get("/settings", fields: Self.accented)
            #expect(page.pageLanguage == "ar-XB" && page["content-language"] == "ar-XB")
            #expect(page.text.contains(#"<option value="ar-XB" lang="ar-XB" selected>"#))
            #expect(page.text.contains(#"<a href="/settings#language" rel="nofollow" lang="en""#))
            #expect(!page.text.contains("/language?to="))
            rob.cookies["__Host-language"] = "en"
            #expect(try rob.get("/about").pageLanguage == "ar-XB")
            #expect(try rob.get("/nothing").pageLanguage == "ar-XB")
            #expect(try rob.get("/about?lang=en-XA").pageLanguage == "en-XA")
            #expect(try server.send("GET", "/about").pageLanguage == "en")
            expectFault(try save("de"), at: "language", "ƥóššîƀľé")
            #expect(try rob.get("/about").pageLanguage == "ar-XB")
            #expect(try save("").status == 303)
            #expect(try rob.get("/about").pageLanguage == "en")
        }
    }

    @Test("is possible with the API, which itself stays English")
    func api() async throws {
        try await TestServer.runInLanguages { server in
            let token = try await server.makeUser("rob")
            func change(_ json: String) throws -> RawResponse {
                try server.send("PATCH", "/api/v1/me", token: token, json: json)
            }
            func language(_ response: RawResponse) throws -> String? {
                try #require(response.object.keys.contains("language"))
                return try response.object["language"] as? String
            }
            #expect(try language(server.send("GET", "/api/v1/me", token: token)) == nil)
            #expect(try language(change(#"{"language": "EN-xa"}"#)) == "en-XA")
            #expect(try language(change(#"{"bio": "x"}"#)) == "en-XA")
            #expect(try language(server.send("GET", "/api/v1/me", token: token)) == "en-XA")
            for wrong in ["de", "", "x\\u0000", String(repeating: "a", count: 5000)] {
                let response = try change("{\"language\": \"\(wrong)\"}")
                #expect(response.status == 422, "\(response.text)")
                #expect(response.text.contains(#""pointer":"/language""#))
                #expect(response.text.contains(#""kind":"unknown-value""#))
            }
            #expect(try change(#"{"language": 1}"#).status == 422)
            #expect(try language(change(#"{"language": null}"#)) == nil)
            // What the site no longer offers can be sent back as it was read.
            try server.execute("UPDATE users SET language = 'de' WHERE username = 'rob'")
            #expect(try language(change(#"{"language": "de", "bio": "y"}"#)) == "de")
            #expect(try server.browser(signedInAs: "rob").get("/about").pageLanguage == "en")
            #expect(try !server.send("GET", "/api/v1/users/rob").text.contains("language"))
        }
    }

    @Test("is what search engines are told of on some pages, whose canonical address stays")
    func alternates() async throws {
        try await TestServer.runInLanguages(.seeded) { server in
            for target in ["/", "/platforms", "/platforms/win", "/games", "/games/71"] {
                let page = try server.send("GET", "\(target)?lang=en-XA").text
                let address = "https://fave.example\(target)"
                #expect(page.contains(#"<link rel="canonical" href="\#(address)">"#))
                for (tag, query) in [
                    ("en", "?lang=en"), ("en-XA", "?lang=en-XA"), ("ar-XB", "?lang=ar-XB"),
                    ("x-default", ""),
                ] {
                    #expect(
                        page.contains(
                            #"rel="alternate" hreflang="\#(tag)" href="\#(address)\#(query)">"#
                        ),
                        "\(target) \(tag)")
                }
            }
            for target in ["/entries", "/users", "/about", "/games?search=portal", "/nothing"] {
                #expect(
                    try !server.send("GET", target).text.contains(
                        #"rel="alternate" hreflang"#))
            }
        }
    }
}
