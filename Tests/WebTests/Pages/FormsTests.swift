import Endpoints
import JSON
import TestSupport
import Testing

@testable import Web

@Suite("The form of a page", .blocking)
struct FormsTests {
    /// Routes with a form that declare its fields.
    private static let routes = Routes.all.filter {
        $0.method == .post && $0.kind == .page && !properties(of: $0).isEmpty
    }

    private static func properties(of route: Web.Route) -> [String: JSONValue] {
        route.inputs.lazy.compactMap(\.body).first?.schema.keywords["properties"]?.members ?? [:]
    }

    private static func required(by route: Web.Route) -> [String] {
        route.inputs.lazy.compactMap(\.body).first?.schema.keywords["required"]?.elements
            .compactMap(\.text) ?? []
    }

    /// What people write, which comes back whatever happened.
    private static let written: Set = [
        "account", "address", "bio", "comment", "csv", "description", "displayName", "name", "note",
        "reason", "redirects", "tags", "title", "username",
    ]

    /// What no page shows again.
    private static let secrets: Set = [
        "password", "currentPassword", "newPassword", "code", "reset", "link", "invitation",
        "deviceSecret", "clientDataJSON", "attestationObject", "id", "authenticatorData",
        "signature", "userHandle",
    ]

    private static func fields(of route: Web.Route) -> [FormFieldKind] {
        route.inputs.compactMap(\.body).flatMap(\.fields)
    }

    /// Forms without a page to show again: buttons on many pages, and what a script asks.
    private static let withoutPage: Set = [
        "/entries/{entry}/heart", "/@{username}/follow", "/settings/passkeys/options",
    ]

    /// The response where the page needs what the form doesn't say, or isn't for this visitor.
    private static let otherwise = [
        // The page shows what is reported.
        "/report": 404,
        // The page shows the circle, the account or the address that the link is for.
        "/circles/join": 403, "/sign-in/reset": 403, "/mail/confirm": 403,
        // Nobody needs an invitation on this site.
        "/settings/invitations": 404,
        // No provider has sent this visitor.
        "/sign-up/name": 400,
    ]

    /// Values of a field that its schema doesn't allow.
    private static func wrong(_ schema: JSONValue) -> [String] {
        let members = schema.members
        let types = members["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
        // A choice may be named by a reference.
        if members["enum"] != nil || members["$ref"] != nil { return ["nonsense"] }
        if types.contains("array") || types.contains("boolean") { return ["nonsense"] }
        if types.contains("integer") {
            return ["nonsense", "1.5", "", "99999999999999999999", "-1"].filter {
                !$0.isEmpty || !types.contains("null")
            }
        }
        return []
    }

    @Test("has a page that is shown again")
    func pages() {
        #expect(Self.routes.count > 20)
        for route in Self.routes where !Self.withoutPage.contains(route.pattern) {
            #expect(Routes.pages[route.page] != nil, "\(route.pattern)")
        }
    }

    @Test("declares what may be shown again, and requires something of what it has")
    func declarations() {
        let forms = Routes.all.filter { $0.method == .post && $0.kind == .page }
        let fields = forms.flatMap(Self.fields)
        let declared = Set(forms.flatMap { Self.properties(of: $0).keys })
        #expect(Set(fields.filter { $0.isWritten }.map(\.name)) == Self.written)
        #expect(declared.subtracting(fields.map(\.name)) == Self.secrets)
        #expect(Self.secrets.isDisjoint(with: fields.map(\.name)))
        for route in Self.routes {
            // An account with a passkey or a provider alone has no password.
            let isOptional = Set(Self.properties(of: route).keys) == ["password"]
            #expect(Self.required(by: route).isEmpty == isOptional, "\(route.pattern)")
        }
    }

    @Test("is refused with a page if it is too large, at every address")
    func tooLarge() async throws {
        try await TestServer.run(.migrated) { server in
            func announce(_ path: String) throws -> RawResponse {
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "POST \(path) HTTP/1.1\r\nHost: fave.example\r\nContent-Length: 9000000\r\n\r\n"
                )
                return try connection.readResponse()
            }
            for form in ForeignFormsTests.forms {
                let text = form.path == "/me/import" ? "at most 5 MB" : "more text than this page"
                expectPage(try announce(form.path.replacing(/[{}]/, with: "")), 413, text)
            }
            peek(try announce("/me"), "large")
            expectPage(try announce("/nowhere"), 413, "more text than this page")
            for path in ["/api/v1/me", "/api/v0/my-fave-games", "/health"] {
                #expect(try announce(path).status == 413)
                #expect(try announce(path)["content-type"] == "application/problem+json", "\(path)")
            }
        }
    }

    @Test(
        "gives back what was typed, but no secret, if the database is away or the session has ended"
    )
    func unsent() async throws {
        try await ForeignFormsTests.withRob { server, rob, path in
            let forms = ForeignFormsTests.forms.map { form in
                (
                    form: form,
                    route: Routes.all.first { $0.method == .post && $0.pattern == form.path }
                )
            }
            /// - Returns: Whether something was.
            func isGivenBack(
                _ page: RawResponse, _ route: Web.Route, _ items: [String: String]
            ) -> Bool {
                let typed = Self.fields(of: route).filter {
                    $0.isWritten && items[$0.name]?.isEmpty == false
                }
                for field in typed {
                    let value = items[field.name] ?? ""
                    #expect(
                        page.text.contains(" name=\"\(field.name)\" ")
                            && page.text.contains("readonly>\n\(value)</textarea>"),
                        "\(route.pattern) \(field.name)")
                }
                for (name, value) in items where Self.secrets.contains(name) {
                    #expect(!page.text.contains(" name=\"\(name)\""), "\(route.pattern) \(name)")
                    #expect(value.count < 2 || !page.text.contains(value), "\(route.pattern)")
                }
                return !typed.isEmpty
            }
            try server.execute(
                """
                ALTER TABLE sessions RENAME TO stored_sessions;
                CREATE FUNCTION fail() RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN
                    RAISE EXCEPTION 'there is no room' USING ERRCODE = 'disk_full';
                END $$;
                CREATE VIEW sessions AS SELECT * FROM stored_sessions WHERE fail()
                """)
            var count = 0
            var last: HTMLForm?
            for (form, route) in forms {
                let items = form.items.merging(["token": rob.ownToken]) { $1 }
                let page = try rob.post(path(form.path), items)
                expectPage(page, 503, "have no room")
                peek(page, "away" + form.path.replacing("/", with: "-"))
                #expect(page["cache-control"] == "no-store")
                if isGivenBack(page, try #require(route), form.items) { count += 1 }
                if form.path == "/settings/profile" {
                    last = try HTMLForm(page.text, marker: "action=\"/settings/profile\"")
                }
            }
            #expect(count > 15)
            // Nor to those who have been sent here by another site.
            let foreign = try rob.post(
                "/settings/profile", ["bio": "Evil"], fields: [("Origin", "https://evil.example")])
            #expect(!foreign.text.contains("Evil"))
            try server.execute("DROP VIEW sessions; ALTER TABLE stored_sessions RENAME TO sessions")
            let again = try rob.post("/settings/profile", inOrder: try #require(last).items)
            #expect(again["location"] == "/settings?saved=profile")

            for (form, route) in forms {
                let route = try #require(route)
                guard route.signIn == .required else { continue }
                try server.execute("DELETE FROM sessions")
                let page = try rob.post(
                    path(form.path), form.items.merging(["token": rob.ownToken]) { $1 })
                if isGivenBack(page, route, form.items) {
                    expectPage(page, 403, "href=\"/sign-in?return=")
                    peek(page, "out" + form.path.replacing("/", with: "-"))
                } else {
                    #expect(page.status == 303)
                    #expect(page["location"]?.hasPrefix("/sign-in?return=") == true, "\(form.path)")
                }
                if form.path == "/settings/profile" {
                    last = try HTMLForm(page.text, marker: "action=\"/settings/profile\"")
                }
            }
            // The form is another one's, so it is shown before it is saved.
            try rob.signIn("rob")
            let form = try rob.post("/settings/profile", inOrder: try #require(last).items)
            expectPage(form, 403, "has expired")
            #expect(form.control("display-name").contains("value=\"Evil\""))
            #expect(try server.count("users WHERE display_name = 'Evil'") == 1, "as saved before")
        }
    }

    @Test("comes back with what was typed if it can't be saved at the moment")
    func unsaved() async throws {
        try await ForeignFormsTests.withRob { server, rob, _ in
            try server.execute(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    RAISE EXCEPTION 'there is no room' USING ERRCODE = 'disk_full';
                END $$;
                CREATE TRIGGER fail BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION fail()
                """)
            let profile = [
                "displayName": "Rob <b>", "bio": "Typed", "visibility": "public",
                "showsRatings": "no",
            ]
            try rob.get("/settings")
            let page = try rob.post("/settings/profile", profile)
            expectPage(page, 503, "have no room")
            #expect(page["retry-after"] != nil)
            #expect(page.control("display-name").contains("value=\"Rob &lt;b&gt;\""))
            #expect(page.text.contains(">\nTyped</textarea>"))
            #expect(!page.text.contains("to be copied") && !page.text.contains("or copy it"))
        }
    }

    /// Whether the focus is at the first control with something wrong, in the group around it, or at
    /// a summary of all that is wrong.
    private static func isFocusRight(_ page: String) -> Bool {
        let tags = page.matches(of: /<[a-z][^>]*>/).map { String($0.output) }
        let focused = tags.indices.filter { tags[$0].contains(" autofocus") }
        let wrong = tags.indices.filter { tags[$0].contains("aria-invalid=\"true\"") }
        guard let first = wrong.first else { return focused.count <= 1 }
        guard focused.count == 1 else { return false }
        if tags[focused[0]].contains("role=\"alert\"") { return true }
        guard first <= focused[0] else { return false }
        return wrong.dropFirst().allSatisfy { focused[0] < $0 }
    }

    @Test("comes back if fields are missing, are there twice or can't be right")
    func wrongFields() async throws {
        try await ForeignFormsTests.withRob { server, rob, path in
            let before = try server.contents()
            var count = 0
            func send(_ route: Web.Route, _ items: [(key: String, value: String)]) throws {
                count += 1
                let token = [(key: "token", value: rob.ownToken)]
                let response = try rob.post(path(route.pattern), inOrder: token + items)
                let status = Self.otherwise[route.pattern] ?? 422
                #expect(
                    [422, status].contains(response.status), "\(route.pattern) \(items)")
                expectPage(response, response.status)
                #expect(response.setCookie(Browser.sessionCookie) == nil)
                #expect(Self.isFocusRight(response.text), "\(route.pattern) \(items)")
                guard response.status == 422 else { return }
                let isSaid =
                    response.text.contains("aria-invalid=\"true\"")
                    || response.text.contains("role=\"alert\"")
                #expect(
                    isSaid || Self.withoutPage.contains(route.pattern),
                    "\(route.pattern) \(items)")
            }
            for route in Self.routes {
                let right = try #require(
                    ForeignFormsTests.forms.first { $0.path == route.pattern }
                ).items.sorted { $0.key < $1.key }
                for name in Self.required(by: route) {
                    try send(route, right.filter { $0.key != name })
                }
                if !Self.required(by: route).isEmpty {
                    let known = right.filter { ["kind", "entry", "username"].contains($0.key) }
                    try send(route, route.pattern == "/report" ? known : [])
                }
                for (name, schema) in Self.properties(of: route) {
                    let others = right.filter { $0.key != name }
                    for value in Self.wrong(schema) {
                        try send(route, others + [(key: name, value: value)])
                    }
                    let isArray = schema.members["type"] == "array"
                    if !isArray { try send(route, others + [(name, "yes"), (name, "no")]) }
                }
            }
            #expect(count > 100)
            #expect(try server.contents() == before)
            #expect(try rob.isSignedIn)
        }
    }

    @Test("comes back if a text is too long")
    func longTexts() async throws {
        try await ForeignFormsTests.withRob { server, rob, path in
            var count = 0
            for route in Self.routes {
                let right = try #require(
                    ForeignFormsTests.forms.first { $0.path == route.pattern }
                ).items
                for (name, schema) in Self.properties(of: route) {
                    guard let limit = schema.members["maxLength"]?.integer else { continue }
                    count += 1
                    let items = [
                        name: String(repeating: "x", count: limit + 1), "token": rob.ownToken,
                    ]
                    let response = try rob.post(path(route.pattern), right.merging(items) { $1 })
                    // A password that no account can have is a wrong one.
                    let isPassword = name.lowercased().contains("password")
                    let status = Self.otherwise[route.pattern] ?? 422
                    #expect(
                        ([422, status] + (isPassword ? [401, 403] : [])).contains(response.status),
                        "\(route.pattern) \(name) \(response.status)")
                    expectPage(response, response.status)
                }
            }
            #expect(count > 20)
            #expect(try rob.isSignedIn)
        }
    }

    @Test("has only fields that its address declares")
    func names() async throws {
        try await ForeignFormsTests.withRob { server, rob, path in
            var declared: [String: Set<String>] = [:]
            for route in Routes.all where route.method == .post && route.kind == .page {
                declared[path(route.pattern)] = Set(Self.properties(of: route).keys)
            }
            var count = 0
            for page in [
                "/settings", "/settings/tokens", "/settings/snapshots", "/settings/passkeys",
                "/settings/apps", "/circles/new", path("/circles/{circle}") + "/settings",
                "/moderation",
                "/report?username=nell", "/sign-in/recover", "/sign-in/forgot", "/administrator",
                "/following", "/@zoe",
            ] {
                let text = try rob.get(page).text
                for form in text.matches(
                    of: #/<form[^>]*method="post" action="([^"]*)".*?</form>/#.dotMatchesNewlines())
                {
                    let names = form.output.0.matches(of: #/\bname="([^"]*)"/#).map {
                        String($0.output.1)
                    }
                    let known = try #require(declared[String(form.output.1)], "\(form.output.1)")
                    count += 1
                    // A script asks for options first.
                    let options = declared["\(form.output.1)/options"] ?? []
                    #expect(
                        Set(names).subtracting(options).subtracting(known).subtracting([
                            "token", "return",
                        ]).isEmpty,
                        "\(page): \(form.output.1)")
                }
            }
            #expect(count > 30)
            _ = server
        }
    }
}
