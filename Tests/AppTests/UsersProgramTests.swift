import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import App

@Suite("fave-admin users", .blocking)
struct UsersProgramTests {
    private let database: TestDatabase
    /// A hash of a millisecond.
    private static let environment = ["PASSWORD_COST": "4"]

    init() throws {
        database = try TestDatabase(.migrated)
        try database.session().execute(
            """
            INSERT INTO users (username, display_name, bio, visibility) VALUES
            ('rob', 'Rob R.', 'Plays.', 'unlisted'), ('ada', 'Ada', '', 'public')
            """)
    }

    private func run(
        _ arguments: [String], input: String? = nil
    ) async throws -> Program.Outcome {
        try await Program.admin.run(
            ["users"] + arguments, database: database, environment: Self.environment,
            input: input.map { Data($0.utf8) })
    }

    /// What a command prints as JSON.
    private func object(_ arguments: [String], input: String? = nil) async throws
        -> [String: Any]
    {
        let outcome = try await run(arguments + ["--json"], input: input)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return try outcome.object
    }

    /// What the operator is told.
    private func refusal(_ arguments: [String], input: String? = nil) async throws -> String {
        let outcome = try await run(arguments, input: input)
        #expect(outcome.status != 0, "\(arguments)")
        #expect(outcome.output == "")
        return outcome.errors
    }

    private func count(_ condition: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM users WHERE \(condition)")[0][0]
    }

    @Test("sets no password that no one could sign in with, and makes no link for one")
    func withoutPasswords() async throws {
        let environment = ["LOCAL_ACCOUNTS": "off", "PUBLIC_URL": "https://fave.example"]
        for arguments in [["set-password", "rob", "--generate"], ["reset-link", "rob"]] {
            let outcome = try await Program.admin.run(
                ["users"] + arguments, database: database, environment: environment)
            #expect(outcome.status != 0)
            #expect(outcome.output == "")
            #expect(
                outcome.errors.contains(
                    "LOCAL_ACCOUNTS is off, so no one can sign in with a password."))
        }
        let session = try database.session()
        #expect(try session.query("SELECT count(*) FROM passwords")[0][0] == 0)
        #expect(try session.query("SELECT count(*) FROM password_resets")[0][0] == 0)
    }

    @Test("makes no link for someone who is disabled")
    func linkOfDisabled() async throws {
        let environment = ["PUBLIC_URL": "https://fave.example"]
        #expect(try await object(["disable", "rob"])["changed"] as? Bool == true)
        let outcome = try await Program.admin.run(
            ["users", "reset-link", "rob"], database: database, environment: environment)
        #expect(outcome.status != 0)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("rob is disabled"))
        let session = try database.session()
        #expect(try session.query("SELECT count(*) FROM password_resets")[0][0] == 0)
    }

    @Test("explains each of its commands")
    func help() async throws {
        for command in [
            [], ["list"], ["show"], ["add"], ["rename"], ["disable"], ["enable"],
            ["set-password"], ["export"], ["delete"],
        ] {
            let outcome = try await run(command + ["--help"])
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("USAGE: fave-admin users"))
        }
    }

    @Test("lists users by name, all or those who are looked for")
    func list() async throws {
        func names(_ arguments: [String]) async throws -> [String?] {
            let users = try await object(["list"] + arguments)["users"] as? [[String: Any]]
            return try #require(users).map { $0["username"] as? String }
        }
        #expect(try await names([]) == ["ada", "rob"])
        #expect(try await names(["Rob R"]) == ["rob"])
        #expect(try await names(["--limit", "1"]) == ["ada"])
        #expect(try await names(["--disabled"]) == [])
        #expect(try await names(["nobody"]) == [])
        let text = try await run(["list"]).output
        #expect(text.contains("rob  unlisted  0 entries  Rob R."))
        #expect(try await run(["list", "--limit", "1"]).output.contains("--limit"))
        #expect(try await run(["list", "nobody"]).output == "No users.\n")
        #expect(try await refusal(["list", "--limit", "0"]).contains("--limit must be"))
        #expect(try await refusal(["list", "  "]).contains("1 to 100 characters"))
    }

    @Test("shows what is known of a user")
    func show() async throws {
        for name in ["rob", "@rob", "ROB"] {
            let user = try await object(["show", name])
            #expect(user["username"] as? String == "rob")
            #expect(user["displayName"] as? String == "Rob R.")
            #expect(user["bio"] as? String == "Plays.")
            #expect(user["visibility"] as? String == "unlisted")
            #expect(user["entries"] as? Int == 0)
            #expect(user["hasPassword"] as? Bool == false)
            #expect(user["disabledAt"] is NSNull)
        }
        let text = try await run(["show", "rob"]).output
        #expect(text.contains("unlisted, 0 of 5 entries"))
        #expect(text.contains("never"))
    }

    @Test("says where to look for a user that there is not")
    func unknown() async throws {
        for command in [
            ["show"], ["disable"], ["enable"], ["export"], ["delete", "--yes"],
            ["set-password", "--generate"],
        ] {
            let errors = try await refusal(command + ["nobody"])
            #expect(errors.contains("no user called \"nobody\""), "\(errors)")
            #expect(errors.contains("fave-admin users list"))
        }
        #expect(try await refusal(["rename", "nobody", "x1"]).contains("no user called"))
        #expect(try count("true") == 2)
    }

    @Test("makes accounts, with a password that is read or made up")
    func add() async throws {
        let read = try await object(["add", "Grace"], input: "tulip staple 42\nnot this\n")
        #expect(read["username"] as? String == "grace")
        #expect(read["password"] is NSNull)
        let made = try await object(["add", "linus", "--generate"])
        let password = try #require(made["password"] as? String)
        #expect(password.wholeMatch(of: /([a-z2-9]{4}-){4}[a-z2-9]{4}/) != nil)
        let text = try await run(["add", "margaret", "--generate"]).output
        #expect(text.contains("margaret has been created. The password is: "))
        #expect(try count("username IN ('grace', 'linus', 'margaret')") == 3)
        let hashes: Int = try database.session().query(
            "SELECT count(*) FROM passwords WHERE hash LIKE '$scrypt$ln=4,r=8,p=3$%'")[0][0]
        #expect(hashes == 3)
    }

    @Test("makes no account with a name or a password that will not do, and says why")
    func addRefused() async throws {
        for (name, words) in [
            ("rob", "taken"), ("r0b", "too close"), ("admin", "--allow-reserved"),
            ("a b", "2 to 30"), ("x", "2 to 30"),
        ] {
            let errors = try await refusal(["add", name], input: "tulip staple 42\n")
            #expect(errors.contains(words), "\(name): \(errors)")
        }
        for (password, words) in [
            ("short\n", "at least 8"), ("password1\n", "too easy to guess"),
            ("robinson\n", "can’t be the username"), ("", "--generate"),
        ] {
            let errors = try await refusal(["add", "robinson"], input: password)
            #expect(errors.contains(words), "\(password): \(errors)")
        }
        for command in ["add", "set-password"] {
            for bytes in [
                "tulip\0staple 42\n".utf8 + [], "tulip ".utf8 + [0xE9] + "staple 42\n".utf8,
            ] {
                let outcome = try await Program.admin.run(
                    ["users", command, command == "add" ? "robinson" : "rob"],
                    database: database, environment: Self.environment, input: Data(bytes))
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("must be text in UTF-8, without NUL"))
            }
        }
        #expect(try database.session().query("SELECT count(*) FROM passwords")[0][0] == 0)
        #expect(try count("true") == 2)
        _ = try await object(["add", "admin", "--allow-reserved", "--generate"])
        #expect(try count("username = 'admin'") == 1)
    }

    @Test("renames, and leaves a way from the old name to the new one")
    func rename() async throws {
        #expect(try await object(["rename", "rob", "Robert"])["changed"] as? Bool == true)
        #expect(try await object(["rename", "robert", "robert"])["changed"] as? Bool == false)
        #expect(try count("username = 'robert'") == 1)
        let former: String = try database.session().query(
            "SELECT username FROM former_usernames")[0][0]
        #expect(former == "rob")
        for (name, words) in [
            ("ada", "taken"), ("root", "--allow-reserved"), ("not a name", "2 to 30"),
        ] {
            #expect(try await refusal(["rename", "robert", name]).contains(words))
        }
        #expect(try await object(["rename", "robert", "root", "--allow-reserved"]).count == 2)
        #expect(try count("username = 'root'") == 1)
        #expect(try await refusal(["rename", "ada", "r0b"]).contains("taken"))
        #expect(try await object(["free-username", "r0b"])["changed"] as? Bool == true)
        #expect(try await object(["free-username", "rob"])["changed"] as? Bool == false)
        #expect(try await object(["rename", "ada", "rob"])["changed"] as? Bool == true)
    }

    @Test("disables and enables, and says if that was so before")
    func disable() async throws {
        #expect(try await object(["disable", "rob"])["changed"] as? Bool == true)
        #expect(try count("disabled_at IS NOT NULL") == 1)
        #expect(try await object(["disable", "rob"])["changed"] as? Bool == false)
        #expect(try await run(["disable", "rob"]).output == "rob was already disabled.\n")
        let users = try await object(["list", "--disabled"])["users"] as? [[String: Any]]
        #expect(users?.map { $0["username"] as? String } == ["rob"])
        #expect(try await run(["list"]).output.contains("rob  disabled"))
        #expect(try await object(["show", "rob"])["disabledAt"] is String)
        #expect(try await run(["enable", "rob"]).output == "rob is enabled again.\n")
        #expect(try await object(["enable", "rob"])["changed"] as? Bool == false)
        #expect(try count("disabled_at IS NOT NULL") == 0)
    }

    @Test("deletes only when it is sure")
    func delete() async throws {
        #expect(try await refusal(["delete", "rob"], input: "rob\n").contains("--yes"))
        #expect(try count("username = 'rob'") == 1)
        #expect(try await object(["delete", "rob", "--yes"])["username"] as? String == "rob")
        #expect(try count("true") == 1)
    }

    @Test("exports as JSON, asked for or not")
    func export() async throws {
        for arguments in [["export", "rob"], ["export", "rob", "--json"]] {
            let outcome = try await run(arguments)
            #expect(outcome.status == 0)
            let user = try outcome.object["user"] as? [String: Any]
            #expect(user?["username"] as? String == "rob")
        }
    }

    @Test("exports the addresses of covers as the server names them")
    func exportedCovers() async throws {
        let session = try database.session()
        try session.execute(
            """
            INSERT INTO platforms (id, slug, name) VALUES (6, 'win', 'PC');
            INSERT INTO games (id, name, cover_image_id) VALUES (71, 'Portal', 'co1x7d');
            INSERT INTO game_platforms (game_id, platform_id) VALUES (71, 6);
            INSERT INTO entries (user_id, position, game_id, platform_id)
            SELECT id, 1, 71, 6 FROM users WHERE username = 'rob';
            """)
        for (environment, arguments, address) in [
            ([:], [], "https://images.igdb.com/igdb/image/upload/t_cover_big/co1x7d.jpg"),
            (
                ["COVERS": "proxied", "PUBLIC_URL": "https://fave.example"], [],
                "https://fave.example/covers/cover_big/co1x7d.jpg"
            ),
            (
                ["COVERS": "proxied"], ["--site", "https://five.example"],
                "https://five.example/covers/cover_big/co1x7d.jpg"
            ),
        ] {
            let outcome = try await Program.admin.run(
                ["users", "export", "rob"] + arguments, database: database,
                environment: environment)
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("\"coverUrl\":\"\(address)\""))
        }
    }

    @Test("sets passwords that people sign in with, and that end what was before")
    func setPassword() async throws {
        try await TestServer.run(.migrated) { server in
            _ = try await server.makeUser("rob")
            func signIn(_ password: String) throws -> Int {
                try server.send(
                    "POST", "/api/v1/sessions",
                    json: #"{"username":"rob","password":"\#(password)"}"#
                ).status
            }
            func setPassword(_ arguments: [String], _ input: String?) async throws
                -> Program.Outcome
            {
                try await Program.admin.run(
                    ["users", "set-password", "rob", "--json"] + arguments,
                    database: server.database, environment: Self.environment,
                    input: input.map { Data($0.utf8) })
            }
            #expect(try signIn("tulip staple 42") == 401)
            let first = try await setPassword([], "tulip staple 42\n")
            #expect(first.status == 0, "\(first.errors)")
            #expect(try first.object["password"] is NSNull)
            #expect(try (200..<300).contains(signIn("tulip staple 42")))
            let sessions = "SELECT count(*) FROM sessions"
            #expect(try server.database.session().query(sessions)[0][0] == 1)

            let weak = try await setPassword([], "password\n")
            #expect(weak.status != 0)
            #expect(try (200..<300).contains(signIn("tulip staple 42")))

            let second = try await setPassword(["--generate"], nil)
            let made = try #require(try second.object["password"] as? String)
            #expect(try server.database.session().query(sessions)[0][0] == 0)
            #expect(try signIn("tulip staple 42") == 401)
            #expect(try (200..<300).contains(signIn(made)))
        }
    }
}

@Suite("fave-admin rotate-keys", .blocking)
struct RotateKeysProgramTests {
    @Test("makes a key beside the older ones, or instead of them")
    func rotate() async throws {
        let database = try TestDatabase(.migrated)
        func ids() throws -> Set<String> {
            let ids: [String] = try database.session().query(
                "SELECT coalesce(array_agg(id), '{}') FROM signing_keys")[0][0]
            return Set(ids)
        }
        func rotate(_ arguments: [String] = []) async throws -> (id: String, deleted: Int) {
            let outcome = try await Program.admin.run(
                ["rotate-keys", "--json"] + arguments, database: database)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let report = try outcome.object
            return (
                try #require(report["keyId"] as? String), try #require(report["deleted"] as? Int)
            )
        }
        let first = try await rotate()
        #expect(first.deleted == 0)
        let second = try await rotate()
        #expect(second.deleted == 0)
        #expect(try ids() == [first.id, second.id])
        let third = try await rotate(["--revoke"])
        #expect(third.deleted == 2)
        #expect(try ids() == [third.id])
        let text = try await Program.admin.run(["rotate-keys", "--revoke"], database: database)
        #expect(text.output.contains("1 older key was deleted."))
        let empty = try await Program.admin.run(
            ["rotate-keys"], database: TestDatabase(.empty))
        #expect(empty.status != 0)
        #expect(empty.errors.contains("fave-admin migrate"))
    }
}
