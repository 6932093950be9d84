import TestSupport
import Testing

@Suite("Someone who likes another's list", .blocking, .thorough)
struct FollowFlowTests {
    private func addList(_ username: String, _ game: Int, to server: TestServer) async throws {
        let token = try await server.makeUser(username)
        let saved = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: #"{"entries": [{"gameId": \#(game), "platformId": 6, "comment": "So good."}]}"#)
        #expect(saved.status == 200, "\(saved.text)")
    }

    @Test(
        "follows them, agrees with a comment, makes a feed, and ends it all again",
        arguments: [true, false], [1280, 390])
    func follow(hasJavaScript: Bool, width: Int) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await addList("ada", 71, to: server)
            let me = #"{"username": "rob", "password": "\#(World.password)"}"#
            #expect(try server.send("POST", "/api/v1/users", json: me).status == 201)
            let rob = try await server.token(of: "rob")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 71, "platformId": 9}]}"#)
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.resize(width: width, height: 844)
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/@ada"))
                #expect(try browser.find(".taste .tags").text == "Portal")
                try await browser.find(".follow button").follow()
                #expect(try browser.target == "/@ada")
                #expect(try browser.find(".follow button").text.hasPrefix("Unfollow"))

                #expect(try browser.find(".me-too button").attribute("aria-pressed") == "false")
                // By keyboard, as well.
                try browser.run("document.querySelector('.me-too button').focus()")
                if hasJavaScript {
                    try browser.run("window.isSame = true")
                    try browser.press(.enter)
                    try await browser.wait(for: "the heart") {
                        try browser.has(".me-too [aria-pressed=true]")
                    }
                    #expect(try browser.evaluate("return isSame === true"))
                    #expect(try browser.focused.attribute("aria-pressed") == "true")
                } else {
                    try await browser.follow { try browser.press(.enter) }
                }
                let button = try browser.find(".me-too button")
                #expect(try button.attribute("aria-pressed") == "true")
                #expect(try button.text.contains("Me too 1"))

                try browser.open(server.url("/following"))
                #expect(try browser.find(".reason h3").text == "Portal")
                #expect(
                    try browser.find(".reason .me-too button").attribute("aria-pressed") == "true")
                if hasJavaScript {
                    try browser.find(".reason .me-too button").click()
                    try await browser.wait(for: "the heart to be gone") {
                        try browser.has(".me-too [aria-pressed=false]")
                    }
                } else {
                    try await browser.find(".reason .me-too button").follow()
                    #expect(try browser.has(".me-too [aria-pressed=false]"))
                }
                try await browser.find("#feed button").follow()
                let address = try browser.find("#feed-address").text
                #expect(address.contains("/following/feed?key="))
                let path = try #require(address.firstMatch(of: /\/following\/feed.*/)).0
                #expect(try server.send("GET", String(path)).text.contains("ada: Portal"))
                try await browser.find("#feed .quiet").follow()
                #expect(try browser.find("main [role=status]").text.contains("Removed"))
                #expect(try server.send("GET", String(path)).status == 404)

                try await browser.find("#people form button").follow()
                #expect(try browser.find("main [role=status]").text.contains("no longer follow"))
                #expect(try !browser.has(".reason"))
            }
        }
    }

    @Test("is seen by the one whom they follow, who can end it", arguments: [true, false])
    func followers(hasJavaScript: Bool) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            let me = #"{"username": "rob", "password": "\#(World.password)"}"#
            #expect(try server.send("POST", "/api/v1/users", json: me).status == 201)
            try server.database.session().execute(
                "UPDATE users SET new_until = NULL; UPDATE users SET visibility = 'public'")
            let ada = try await server.makeUser("ada")
            let followed = try server.send("PUT", "/api/v1/me/following/rob", token: ada)
            #expect(followed.status == 204, "\(followed.text)")
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/@rob"))
                try browser.find(".page-head .dots summary").click()
                try await browser.findLink("Your followers").follow()
                #expect(try browser.find(".linked").text.contains("ada"))
                try await browser.find(".linked form button").follow()
                #expect(try browser.find("main [role=status]").text.contains("Removed"))
                #expect(try !browser.has(".linked"))
            }
        }
    }
}
