import Foundation
import Synchronization
import TestSupport

/// A server for all operations of the API. Each test that changes something has people of its own.
struct ContractSite: Sendable {
    let server: TestServer
    /// A server on the same database, which sends mail, and where people need an invitation.
    let other: TestServer
    /// Has the list below, with one snapshot, and which others have in common with him.
    let rob: ContractPerson
    /// The id of rob's first entry, whose comment others can agree with.
    let entry: String
    let snapshotSlug: String
    /// Rob's id at the first front end.
    let digest: String

    /// Made by the first test that asks, and there until the process ends.
    static var shared: ContractSite {
        get async throws { try await task.value }
    }

    private static let task = Task { try await ContractSite() }

    static let list = """
        {"entries": [{"gameId": 71, "platformId": 6, "comment": "Still.", "rating": 5,
        "tags": ["puzzle"]}, {"gameId": 120, "platformId": 48}]}
        """
    static let password = "tulip staple 42"

    /// - Parameter database: A seeded one, in which nobody is called rob or ada.
    init(
        on database: TestDatabase? = nil, settings others: [String: String] = [:]
    ) async throws {
        let settings = [
            "SIGN_UPS_PER_ADDRESS": "1000", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000",
            // However busy the machine is.
            "DATABASE_WAIT_SECONDS": "120",
        ].merging(others) { $1 }
        server = try await TestServer.on(database ?? TestDatabase(), settings: settings)
        other = try await TestServer.on(
            server.database,
            settings: settings.merging([
                "SIGN_UP": "invite", "SMTP_URL": "smtp://127.0.0.1:1?tls=off",
                "SMTP_FROM": "games@fave.example",
            ]) { $1 })
        rob = ContractPerson(
            name: "rob", token: try await server.makeUser("rob"), server: server)
        let ada = ContractPerson(
            name: "ada", token: try await server.makeUser("ada"), server: server)
        _ = try ada.put(Self.list)
        let entries = try rob.put(Self.list).objects("entries")
        entry = try value(entries.first?.string("id"))
        snapshotSlug = try value(rob.send("POST", "/me/snapshots", "{}").string("slug"))
        digest = try value(
            server.send("GET", "/api/v0/users/me", token: rob.token).object.string("userId"))
    }

    /// Someone whom no other test knows.
    func person() async throws -> ContractPerson {
        let name = Self.newName()
        return ContractPerson(name: name, token: try await server.makeUser(name), server: server)
    }

    /// The same with a list.
    func listed() async throws -> ContractPerson {
        let person = try await person()
        _ = try person.put(Self.list)
        return person
    }

    func admin() async throws -> ContractPerson {
        let person = try await person()
        try server.execute("UPDATE users SET role = 'admin' WHERE username = '\(person.name)'")
        return person
    }

    /// Someone with a password, who is signed in.
    func account() throws -> (person: ContractPerson, refreshToken: String) {
        let name = Self.newName()
        let account = Self.credentials(name)
        let made = try server.send("POST", "/api/v1/users", json: account)
        guard made.status == 201 else { throw TestFailure("sign-up: \(made.text)") }
        let session = try server.send("POST", "/api/v1/sessions", json: account).object
        return (
            ContractPerson(
                name: name, token: try value(session.string("accessToken")), server: server),
            try value(session.string("refreshToken"))
        )
    }

    static func credentials(_ name: String) -> String {
        #"{"username": "\#(name)", "password": "\#(password)"}"#
    }

    /// The number of a case about someone's list, which was reported once.
    func openCase(about person: ContractPerson) throws -> Int {
        try server.database.session().query(
            """
            WITH opened AS (
                INSERT INTO cases (kind, user_id) SELECT 'list', id FROM users WHERE username = $1
                RETURNING id
            )
            INSERT INTO reports (case_id, reporter, reason) SELECT id, 'someone', 'spam' FROM opened
            RETURNING case_id
            """, [.text(person.name)])[0][0]
    }

    /// Someone whose list a moderator has hidden, and the number of that action.
    func hidden(by admin: ContractPerson) async throws -> (person: ContractPerson, action: Int) {
        let person = try await listed()
        _ = try admin.send(
            "POST", "/moderation/cases/\(openCase(about: person))/decision",
            #"{"decision": "hide_list", "reason": "Advertising."}"#)
        let action: Int = try server.database.session().query(
            """
            SELECT a.id FROM moderation_actions a JOIN users u ON u.id = a.user_id
            WHERE u.username = $1
            """, [.text(person.name)])[0][0]
        return (person, action)
    }

    private static let counter = Mutex(0)

    /// Names of which none looks like another.
    static func newName() -> String {
        let number = counter.withLock { number in
            number += 1
            return number
        }
        let letters = Array("abcdefghjk")
        return "person-"
            + "\(number)".compactMap(\.wholeNumberValue).map { String(letters[$0]) }
            .joined()
    }
}

/// What has to be there.
private func value(_ text: String?) throws -> String {
    guard let text else { throw TestFailure("a member is missing") }
    return text
}

/// Someone as a client of the API.
struct ContractPerson: Sendable {
    let name: String
    let token: String
    let server: TestServer

    /// Does something that has to succeed.
    @discardableResult
    func send(
        _ method: String, _ path: String, _ json: String? = nil, fields: [(String, String)] = [],
        type: String = "application/json"
    ) throws -> [String: Any] {
        let response = try server.send(
            method, "/api/v1" + path, token: token, fields: fields, json: json, type: type)
        guard (200..<300).contains(response.status) else {
            throw TestFailure("\(method) \(path): \(response.text)")
        }
        return (try? response.object) ?? [:]
    }

    func put(_ list: String) throws -> [String: Any] {
        try send("PUT", "/me/list", list, fields: [("If-Match", "*")])
    }

    /// An entry of this person's own, as the path of the API.
    func entry() throws -> String {
        let entries = try send("GET", "/me/list").objects("entries")
        return "/api/v1/me/list/entries/\(try value(entries.first?.string("id")))"
    }

    /// An entry that was added at the first front end.
    func formerEntry() throws -> String {
        let added = try server.send(
            "POST", "/api/v0/my-fave-games", token: token,
            json: #"{"gameId": "117", "platformId": 48}"#)
        return "/api/v0/my-fave-games/\(try value(added.object.string("id")))"
    }

    /// Takes a snapshot, and returns the end of its address.
    func snapshot() throws -> String {
        try value(send("POST", "/me/snapshots", "{}").string("slug"))
    }

    static let games = "name,platform,rating,review\nPortal,PC,5,Still.\nNothing,,,\n"

    /// Imports games, and waits until they are looked up.
    func imported() async throws {
        try send("POST", "/me/import", Self.games, type: "text/csv")
        try await eventually("the end of an import") {
            try send("GET", "/me/import").string("state") != "running"
        }
    }

    /// Makes a public circle, and returns its path.
    func circle() throws -> String {
        let made = try send("POST", "/circles", #"{"name": "Club", "visibility": "public"}"#)
        return "/circles/\(try value(made.string("id")))"
    }

    /// A body with an invitation to a circle.
    func invitation(to circle: String) throws -> String {
        let link = try value(send("POST", "\(circle)/invitations", "{}").string("link"))
        return #"{"invitation": "\#(link.suffix(43))"}"#
    }

    /// The id of the latest member of a circle.
    func latestMember(of circle: String) throws -> String {
        try value(
            send("GET", "\(circle)/members").objects("members").last?.string("id"))
    }
}
