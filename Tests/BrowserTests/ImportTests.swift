import Foundation
import TestSupport
import Testing

@Suite("Someone with a list elsewhere", .blocking, .thorough)
struct ImportTests {
    @Test(
        "brings it, picks five games, and saves them", arguments: [true, false], [1280, 360])
    func pick(hasJavaScript: Bool, width: Int) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("games-\(UUID()).csv")
        try Data(
            """
            name,platform,rating,review
            Portal,PC,5,The cake is a lie.
            "Portal 2",PC,5,"Space, ""space""!"
            The Last Guardian,PlayStation 4,4,
            Diablo III,PlayStation 4,3,
            Hollow Knight,Nintendo Switch,2,
            Portal,PC,1,
            No such game at all,PC,1,
            """.utf8
        ).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run(.init(hasJavaScript: hasJavaScript)) { browser in
                try browser.resize(width: width, height: 844)
                try browser.open(server.url("/sign-up"))
                try browser.find("#username").fill("newcomer")
                try browser.find("#password").fill(World.password)
                try await browser.find("main form button").follow()
                try browser.open(server.url("/settings"))
                try await browser.findLink("Import your games").follow()
                try browser.find("#import-file").type(file.path)
                try await browser.find("form[enctype] > button").follow()
                #expect(try browser.target == "/me/import")
                // While the games are looked for, the page comes again by itself.
                for _ in 0..<100 where try !browser.has("#row-5") || browser.has("progress") {
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(try browser.findAll("input[name=row]").count == 5)
                let names = try browser.findAll(".rows.imported label").map { try $0.text }
                #expect(names.first?.hasPrefix("Portal") == true)
                try await browser.find(".tags li:last-child a").follow()
                let left = try browser.find(".rows.imported").text
                #expect(left.contains("more than once") && left.contains("No match"))
                try await browser.find(".tags li:first-child a").follow()
                for place in 1...5 { try browser.find("label[for=row-\(place)]").click() }
                try await browser.find("form[method=get][action='/me'] button").follow()
                #expect(try browser.findAll("[name=comment]").count == 5)
                #expect(
                    try browser.findAll("[name=comment]").map { try $0.property("value") }.prefix(2)
                        == ["The cake is a lie.", "Space, \"space\"!"])
                #expect(try server.count("entries") == 0)
                try await browser.find("button[value=save]").follow()
                #expect(try browser.target == "/@newcomer/share?saved")
                #expect(try server.count("entries") == 5)
                try browser.open(server.url("/me/import"))
                #expect(try browser.findAll(".rows.imported .chip").count == 5)
                try await browser.find("form[action='/me/import/delete'] button").follow()
                #expect(try browser.find("main [role=status]").text.contains("Deleted"))
                #expect(try server.count("import_rows") == 0)
            }
        }
    }

    @Test("sees what is found without the page being loaded again, and keeps the focus")
    func progress() async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            let me = #"{"username": "rob", "password": "\#(World.password)"}"#
            #expect(try server.send("POST", "/api/v1/users", json: me).status == 201)
            let session = try server.database.session()
            try session.execute(
                """
                INSERT INTO imports (user_id, file_name, row_count, done_count, state, worked_at)
                SELECT id, 'old.csv', 9, 1, 'running', now() + interval '1 day' FROM users
                """)
            try await WebDriver.run { browser in
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/me/import"))
                try browser.run("window.isSame = true")
                #expect(try browser.find("#rows-done").text.hasSuffix("1 of 9"))
                try browser.run("document.querySelector('.bring button').focus()")
                try session.execute("UPDATE imports SET done_count = 4")
                try await browser.wait(for: "the progress") {
                    try browser.find("progress").property("value") == "4"
                }
                #expect(try browser.focused.text == "Delete now")
                try session.execute("UPDATE imports SET state = 'done', done_count = 9")
                try await browser.wait(for: "the end") { try browser.has("#import-file") }
                #expect(try browser.focused.attribute("id") == "import-title")
                let status = try browser.find("main > [role=status]").property("textContent")
                #expect(status?.hasPrefix("Done.") == true)
                #expect(try browser.evaluate("return isSame === true"))
            }
        }
    }
}

extension TestServer {
    fileprivate func count(_ table: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(table)")[0][0]
    }
}
