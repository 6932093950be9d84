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

    /// Forms without a page to show again: buttons on many pages, and what a script asks.
    private static let withoutPage: Set = [
        "/entries/{entry}/heart", "/@{username}/follow", "/settings/passkeys/options",
    ]

    /// What is answered where the page needs what the form doesn't say, or isn't for this visitor.
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

    @Test("comes back if fields are missing, are there twice or can't be right")
    func wrongFields() async throws {
        try await ForeignFormsTests.withRob { server, rob, path in
            let before = try server.contents()
            var count = 0
            func send(_ route: Web.Route, _ items: [(key: String, value: String)]) throws {
                count += 1
                let token = [(key: "token", value: rob.ownToken)]
                let answer = try rob.post(path(route.pattern), inOrder: token + items)
                let status = Self.otherwise[route.pattern] ?? 422
                #expect(
                    [422, status].contains(answer.status), "\(route.pattern) \(items)")
                expectPage(answer, answer.status)
                #expect(answer.setCookie(Browser.sessionCookie) == nil)
                guard answer.status == 422 else { return }
                let isSaid =
                    answer.text.contains("aria-invalid=\"true\"")
                    || answer.text.contains("role=\"alert\"")
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
                    let answer = try rob.post(path(route.pattern), right.merging(items) { $1 })
                    // A password that no account can have is a wrong one.
                    let isPassword = name.lowercased().contains("password")
                    let status = Self.otherwise[route.pattern] ?? 422
                    #expect(
                        ([422, status] + (isPassword ? [401, 403] : [])).contains(answer.status),
                        "\(route.pattern) \(name) \(answer.status)")
                    expectPage(answer, answer.status)
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
                "/settings", "/settings/tokens", "/settings/years", "/settings/passkeys",
                "/circles/new", path("/circles/{circle}") + "/settings", "/moderation",
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
