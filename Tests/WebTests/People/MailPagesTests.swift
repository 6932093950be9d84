import Foundation
import TestSupport
import Testing

@Suite("Mail", .blocking, .thorough)
struct MailPagesTests {
    private static let new = "daisy hammer 77"

    private static func settings(_ mail: MailServer) -> [String: String] {
        settings(port: mail.port)
    }

    private static func settings(port: Int) -> [String: String] {
        [
            "SMTP_URL": "smtp://127.0.0.1:\(port)?tls=off",
            "SMTP_FROM": "Fave Games <games@fave.example>",
            "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000",
        ]
    }

    /// A site with a mail server, and rob, who has confirmed his address.
    private static func run(
        _ body: (TestServer, MailServer, Browser) async throws -> Void
    ) async throws {
        let mail = try MailServer()
        try await TestServer.run(.migrated, settings: settings(mail)) { server in
            let rob = try server.browser("rob")
            try await body(server, mail, rob)
        }
    }

    private static func add(
        _ address: String, _ browser: Browser, password: String = Browser.password
    ) throws -> RawResponse {
        try browser.get("/settings")
        return try browser.post("/settings/mail", ["address": address, "password": password])
    }

    /// The links with a secret in all mails.
    private static func links(_ mail: MailServer) -> [String] {
        mail.messages.elements.compactMap {
            $0.text.firstMatch(of: /https:\/\/fave\.example(\/\S*token=[\w-]{43})/)
                .map { String($0.1) }
        }
    }

    /// The link with this number, counted from 1.
    private static func link(_ mail: MailServer, _ number: Int) async throws -> String {
        try await eventually("link \(number)") { links(mail).count >= number }
        return links(mail)[number - 1]
    }

    private static func confirm(
        _ server: TestServer, _ link: String
    ) throws -> RawResponse {
        let browser = Browser(server)
        let page = try browser.get(link)
        guard page.status == 200 else { return page }
        return try browser.post("/mail/confirm", ["link": String(link.suffix(43))])
    }

    private static func confirmed(
        _ server: TestServer, _ mail: MailServer, _ rob: Browser,
        _ address: String = "Rob@mail.example"
    ) async throws {
        try await eventually("an empty queue") { (try? server.count("outgoing_mail")) == 0 }
        let count = links(mail).count
        #expect(try add(address, rob)["location"] == "/settings?saved=mail")
        let link = try await link(mail, count + 1)
        #expect(try confirm(server, link)["location"] == "/settings?saved=mailConfirmed")
    }

    private static func forget(
        _ server: TestServer, _ account: String
    ) throws -> RawResponse {
        let browser = Browser(server)
        try browser.get("/sign-in/forgot")
        return try browser.post("/sign-in/forgot", ["account": account])
    }

    private static func reset(
        _ server: TestServer, _ link: String, _ password: String = new
    ) throws -> RawResponse {
        let browser = Browser(server)
        let page = try browser.get(link)
        guard page.status == 200 else { return page }
        return try browser.post(
            "/sign-in/reset", ["reset": String(link.suffix(43)), "newPassword": password])
    }

    @Test("goes to the account however its name or its address is typed")
    func typed() async throws {
        try await Self.run { server, mail, rob in
            try await Self.confirmed(server, mail, rob, " Rob@mail.example\u{200B}")
            for account in ["rob ", "@rob", "\u{A0}rob@mail.example "] {
                let count = Self.links(mail).count
                #expect(try Self.forget(server, account).status == 200)
                _ = try await Self.link(mail, count + 1)
            }
        }
    }

    @Test("confirms an address by a link, with a form, once")
    func confirmation() async throws {
        try await Self.run { server, mail, rob in
            expectFault(
                try Self.add("not an address", rob), at: "mail-address", "must be an address")
            expectFault(
                try Self.add("rob@mail.example", rob, password: "wrong"), at: "mail-password",
                "Wrong password")
            #expect(try Self.add("Rob@mail.example", rob)["location"] == "/settings?saved=mail")
            expectPage(
                try rob.get("/settings"), 200, "We’ve sent a link to <b>Rob@mail.example</b>")
            let link = try await Self.link(mail, 1)
            let message = mail.messages.elements[0]
            #expect(message.recipients == ["Rob@mail.example"])
            #expect(message.fromAddress == "games@fave.example")
            #expect(message.defects.isEmpty)
            // Programs that check mail open each link.
            for _ in 0..<2 {
                expectPage(try server.send("GET", link), 200, "Rob@mail.example")
            }
            #expect(try server.count("mail_addresses") == 0)
            for wrong in [
                String(link.dropLast()), link.dropLast(43) + String(repeating: "A", count: 43),
            ] {
                expectPage(try Self.confirm(server, wrong), 403, "has been used, or has expired")
            }
            #expect(try Self.confirm(server, link).status == 303)
            expectPage(try Self.confirm(server, link), 403)
            expectPage(try rob.get("/settings"), 200, "Your address is <b>Rob@mail.example</b>")
            // No secret is stored as it is.
            let stored: String = try server.database.session().query(
                "SELECT coalesce(string_agg(v::text, ''), '') FROM mail_verifications v")[0][0]
            #expect(!stored.contains(link.suffix(43)))
            // It is shown to nobody else, and its owner gets it with the export.
            #expect(try !server.send("GET", "/@rob").text.contains("mail.example"))
            Self.expectOK(try rob.get("/settings/export"), "Rob@mail.example")
        }
    }

    private static func expectOK(_ response: RawResponse, _ text: String) {
        #expect(response.status == 200 && response.text.contains(text))
    }

    @Test("tells the owner of an address that it was replaced or removed")
    func change() async throws {
        try await Self.run { server, mail, rob in
            try await Self.confirmed(server, mail, rob)
            try await Self.confirmed(server, mail, rob, "new@mail.example")
            try await eventually("a notice") { mail.messages.count == 3 }
            #expect(mail.messages.elements[2].recipients == ["Rob@mail.example"])
            #expect(mail.messages.elements[2].text.contains("no longer used"))
            try rob.get("/settings")
            expectFault(
                try rob.post("/settings/mail/remove", ["password": "wrong"]), at: "mail-password",
                "Wrong password")
            let removed = try rob.post("/settings/mail/remove", ["password": Browser.password])
            #expect(removed["location"] == "/settings?saved=mailRemoved")
            try await eventually("a notice") { mail.messages.count == 4 }
            #expect(mail.messages.elements[3].recipients == ["new@mail.example"])
            #expect(try server.count("mail_addresses") == 0)
        }
    }

    @Test("lets someone in who has forgotten the password, once, by name or by address")
    func forgotten() async throws {
        try await Self.run { server, mail, rob in
            expectPage(try server.send("GET", "/sign-in"), 200, "href=\"/sign-in/forgot\"")
            try await Self.confirmed(server, mail, rob)
            expectPage(try Self.forget(server, "Rob"), 200, "a link is on its way")
            let link = try await Self.link(mail, 2)
            #expect(mail.messages.elements[1].recipients == ["Rob@mail.example"])
            expectFault(try Self.reset(server, link, "password"), at: "new", "guess")
            #expect(try Self.reset(server, link).status == 303)
            #expect(try !rob.isSignedIn)
            #expect(try Browser(server).signIn("rob", password: Self.new).status == 303)
            expectPage(try Self.reset(server, link), 403, "has been used, or has expired")
            let guessed = link.dropLast(43) + String(repeating: "A", count: 43)
            expectPage(try Self.reset(server, String(guessed)), 403)

            // Two links are both good; a new password makes the other one worthless.
            expectPage(try Self.forget(server, "ROB@MAIL.example"), 200)
            let first = try await Self.link(mail, 3)
            expectPage(try Self.forget(server, "rob@mail.example"), 200)
            let second = try await Self.link(mail, 4)
            #expect(try Self.reset(server, first, "tulip carpet 31").status == 303)
            expectPage(try Self.reset(server, second), 403)
            // And one that has expired.
            try server.execute("DELETE FROM attempts")
            expectPage(try Self.forget(server, "rob"), 200)
            let last = try await Self.link(mail, 5)
            try server.execute("UPDATE password_resets SET expires_at = now()")
            expectPage(try Self.reset(server, last), 403)
        }
    }

    @Test("tells of every change of a way in, and where to undo it")
    func notices() async throws {
        try await Self.run { server, mail, rob in
            try await Self.confirmed(server, mail, rob)
            func expectNotice(_ subject: String, _ text: String) async throws {
                try await eventually("a notice") {
                    mail.messages.elements.contains { $0.text.contains(subject) }
                }
                let found = mail.messages.elements.first { $0.text.contains(subject) }
                let notice = try #require(found)
                #expect(notice.recipients == ["Rob@mail.example"])
                #expect(notice.text.contains(text))
                #expect(notice.defects.isEmpty)
            }
            try rob.get("/settings")
            #expect(
                try rob.post("/settings/recovery-codes", ["password": Browser.password]).status
                    == 200)
            try await expectNotice("New recovery codes were created for your account", "/forgot")
            let token = [
                "name": "x", "scopes": "read", "expiresInDays": "30", "password": Browser.password,
            ]
            #expect(try rob.post("/settings/tokens", token).status == 200)
            try await expectNotice("An API token was created for your account", "/sign-in/forgot")
            let change = ["currentPassword": Browser.password, "newPassword": Self.new]
            #expect(try rob.post("/settings/password", change).status == 303)
            try await expectNotice("A password was set for your account", "/sign-in/forgot")
            try rob.get("/settings")
            let deletion = ["username": "rob", "password": Self.new]
            #expect(try rob.post("/settings/delete", deletion).status == 303)
            try await expectNotice("has been deleted", "write to")
        }
    }

    @Test("doesn't tell whether an account or an address is known, by words or by work")
    func silence() async throws {
        try await Self.run { server, mail, rob in
            try await Self.confirmed(server, mail, rob)
            _ = try server.browser("eve")
            try server.execute(
                """
                CREATE TABLE asked (kind text);
                CREATE FUNCTION note_asked() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO asked VALUES (NEW.kind); RETURN NULL; END $$;
                CREATE TRIGGER note_asked AFTER INSERT ON outgoing_mail
                    FOR EACH ROW EXECUTE FUNCTION note_asked()
                """)
            var texts: Set<String> = []
            let accounts = [
                "rob", "rob@mail.example", "eve", "nobody", "nobody@mail.example", "!", "é",
            ]
            for (number, account) in accounts.enumerated() {
                let response = try Self.forget(server, account)
                #expect(response.status == 200)
                texts.insert(
                    response.text.replacing(/name="token" value="[^"]*"/, with: "")
                        .replacing(/nonce="[^"]*"/, with: ""))
                // Each of them does one thing: it is put into the queue.
                #expect(try server.count("asked") == number + 1)
            }
            #expect(texts.count == 1)
            try await eventually("an empty queue") {
                (try? server.count("outgoing_mail")) == 0
            }
            #expect(mail.messages.count == 3)
            // Asked again and again, it is the same for all, too.
            for account in ["rob", "nobody"] {
                let statuses = try (0..<4).map { _ in try Self.forget(server, account).status }
                #expect(statuses == [200, 200, 429, 429])
            }
        }
    }

    @Test("waits for a mail server that is away, and for the next process")
    func queue() async throws {
        let database = try TestDatabase(.migrated)
        // A port on which nothing listens.
        let away = try await TestServer.on(database, settings: Self.settings(port: 1))
        let rob = try away.browser("rob")
        #expect(try Self.add("rob@mail.example", rob).status == 303)
        try await eventually("an attempt") {
            (try? away.count("outgoing_mail WHERE attempts > 0")) == 1
        }
        await away.stop()
        let mail = try MailServer(.off, [.deferring(1)])
        let back = try await TestServer.on(database, settings: Self.settings(mail))
        // The first attempt is deferred by more than the lease's two minutes, the second one accepted.
        for attempts in 2...3 {
            try back.execute("UPDATE outgoing_mail SET due_at = now()")
            try await eventually("attempt \(attempts)") {
                (try? back.count(
                    """
                    outgoing_mail WHERE attempts < \(attempts) OR due_at < now() + interval '3 minutes'
                    """)) == 0
            }
        }
        let link = try await Self.link(mail, 1)
        #expect(try Self.confirm(back, link).status == 303)
        try await eventually("an empty queue") { (try? back.count("outgoing_mail")) == 0 }
        await back.stop()
    }

    @Test("goes to one address a few times a day, whoever asks")
    func bombing() async throws {
        try await Self.run { server, mail, rob in
            for name in ["rob", "ann", "eve"] {
                let browser = name == "rob" ? rob : try server.browser(name)
                for _ in 0..<3 {
                    #expect(try Self.add("Victim@mail.example", browser).status == 303)
                }
            }
            try await eventually("an empty queue") { (try? server.count("outgoing_mail")) == 0 }
            #expect(mail.messages.count == 5)
        }
    }

    @Test("of an address that was replaced meanwhile gives no link for the new one")
    func replaced() async throws {
        try await Self.run { server, mail, rob in
            #expect(try Self.add("first@mail.example", rob).status == 303)
            _ = try await Self.link(mail, 1)
            #expect(try Self.add("second@mail.example", rob).status == 303)
            let link = try await Self.link(mail, 2)
            #expect(mail.messages.elements[1].recipients == ["second@mail.example"])
            expectPage(
                try Self.confirm(server, try await Self.link(mail, 1)), 403, "has been used")
            #expect(try Self.confirm(server, link).status == 303)
            // A link that was sent to the old address ends with it.
            expectPage(try Self.forget(server, "rob"), 200)
            let reset = try await Self.link(mail, 3)
            try await Self.confirmed(server, mail, rob, "third@mail.example")
            expectPage(try Self.reset(server, reset), 403)
        }
    }

    @Test("that is refused for good is given up")
    func refused() async throws {
        let mail = try MailServer(.off, [.rejecting("rob@mail.example")])
        try await TestServer.run(.migrated, settings: Self.settings(mail)) { server in
            let rob = try server.browser("rob")
            #expect(try Self.add("rob@mail.example", rob).status == 303)
            try await eventually("an empty queue") { (try? server.count("outgoing_mail")) == 0 }
            #expect(mail.messages.count == 0)
        }
    }

    @Test("is not mentioned on a site without a mail server")
    func without() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            for page in [
                try rob.get("/settings"), try server.send("GET", "/sign-in"),
                try server.send("GET", "/sign-in/recover"), try server.send("GET", "/sign-up"),
            ] { #expect(!page.text.lowercased().contains(" mail")) }
            expectPage(try server.send("GET", "/sign-in/forgot"), 403, "sends no email")
            expectPage(try Self.add("rob@mail.example", rob), 403, "sends no email")
            try expectProblem(
                try server.send("POST", "/api/v1/password-resets", json: #"{"account": "rob"}"#),
                403, "sends no email")
        }
    }

    @Test("is asked for with the API, too")
    func api() async throws {
        try await Self.run { server, mail, _ in
            let token = try await server.token(of: "rob")
            func put(_ json: String) throws -> RawResponse {
                try server.send("PUT", "/api/v1/me/mail-address", token: token, json: json)
            }
            #expect(try put(#"{"address": "x"}"#).status == 422)
            #expect(try put(#"{"address": "rob@mail.example", "password": "x"}"#).status == 403)
            #expect(
                try put(#"{"address": "rob@mail.example", "password": "\#(Browser.password)"}"#)
                    .status == 204)
            let link = try await Self.link(mail, 1)
            #expect(
                try server.send("GET", "/api/v1/me/mail-address", token: token).object
                    .string("pending") == "rob@mail.example")
            #expect(try Self.confirm(server, link).status == 303)
            #expect(
                try server.send(
                    "POST", "/api/v1/password-resets", json: #"{"account": "rob@mail.example"}"#
                ).status == 204)
            #expect(try Self.reset(server, try await Self.link(mail, 2)).status == 303)
            #expect(
                try server.send(
                    "DELETE", "/api/v1/me/mail-address", token: token,
                    json: #"{"password": "\#(Self.new)"}"#
                ).status == 204)
            #expect(try server.count("mail_addresses") == 0)
        }
    }
}
