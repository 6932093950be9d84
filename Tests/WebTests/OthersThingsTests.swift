import TestSupport
import Testing

@testable import Web

/// The ids of things are in addresses, and in what programs read: they are no secret.
@Suite("The id of someone else's thing", .blocking)
struct OthersThingsTests {
    /// What anyone may do with an id that isn't of something of theirs.
    private static let forAnyone: Set = [
        "/settings/connect/{provider}", "/@{username}/follow", "/@{username}/block",
        "/entries/{entry}/heart",
    ]

    private static let forms = ForeignFormsTests.forms.filter {
        $0.path.contains("{") && !forAnyone.contains($0.path)
    }

    @Test("changes nothing, not even beside the id of one's own circle")
    func others() async throws {
        try await ForeignFormsTests.withRob { server, _, path in
            let eve = try server.browser("eve")
            try server.execute(
                "SELECT make_circle(id, 'Hers', '', 'public') FROM users WHERE username = 'eve'")
            func slug(_ name: String) throws -> String {
                try server.database.session().query(
                    "SELECT slug FROM circles WHERE name = $1", [.text(name)])[0][0]
            }
            let (robs, hers) = (try slug("Ours"), try slug("Hers"))
            let before = try server.contents()
            #expect(Self.forms.count > 20)
            for form in Self.forms {
                var paths = [path(form.path)]
                // A thing of his circle, at the address of hers.
                if form.path.count(where: { $0 == "{" }) == 2 {
                    paths.append(paths[0].replacing("/\(robs)/", with: "/\(hers)/"))
                }
                for path in paths {
                    let response = try eve.post(path, form.items)
                    #expect(response.status < 500, "\(path)")
                    #expect(try server.contents() == before, "\(path) \(response.status)")
                }
            }
        }
    }
}
