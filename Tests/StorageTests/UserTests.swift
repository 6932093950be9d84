import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A user", .blocking)
struct UserTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    private static func make(
        _ store: Store, _ subject: String, as name: String?
    ) async throws -> User {
        try await store.makeUser(issuer: "https://issuer.example", subject: subject) {
            Username.suggestion(from: name, attempt: $0)
        }
    }

    @Test("gets the name that is suggested, or the next one that is free")
    func freeNames() async throws {
        try await withStore(database) { store in
            let first = try await Self.make(store, "1", as: "Rob")
            #expect(first.username == "rob")
            #expect(first.displayName == "rob")
            #expect(first.visibility == .unlisted, "nobody was asked")
            let others = [
                try await Self.make(store, "2", as: "rob"),
                try await Self.make(store, "3", as: "rob@example.com"),
            ]
            #expect(others.map(\.username) == ["rob-2", "rob-3"])
            #expect(others.map(\.displayName) == ["rob-2", "rob-3"])
            for number in 4..<12 {
                let user = try await Self.make(store, "\(number)", as: "rob")
                #expect(user.username.hasPrefix("rob-"))
            }
            func chosen(_ name: String, subject: String) async throws -> User? {
                try await store.makeUser(
                    issuer: "https://issuer.example", subject: subject,
                    username: #require(Username(name)), displayName: "Ann A.",
                    visibility: .private)
            }
            #expect(try await chosen("r0b", subject: "20") == nil, "it looks like another")
            let ann = try await chosen("ann", subject: "20")
            #expect(ann?.displayName == "Ann A.")
            #expect(ann?.visibility == .private)
            #expect(try await chosen("anna", subject: "20") == ann, "a subject is one user")
            #expect(try await store.user(username: "rob", seenBy: nil) == first)
            #expect(try await store.user(id: first.id) == first)
            #expect(try await store.user(issuer: "https://issuer.example", subject: "1") == first)
            #expect(try await store.user(issuer: "https://other.example", subject: "1") == nil)
        }
    }

    @Test("gets no reserved name, and some name when nothing can be made of theirs")
    func reservedNames() async throws {
        try await withStore(database) { store in
            for (number, name) in ["admin", "ME", "日本", nil, "x"].enumerated() {
                let user = try await Self.make(store, "s\(number)", as: name)
                #expect(Username(user.username)?.isReserved == false, "\(user.username)")
            }
        }
    }

    @Test("is one, when the same subject is first seen twenty times at once")
    func racingSubject() async throws {
        let ids = try await seenAtOnce { _ in ("the subject", "rob") }
        #expect(ids.count == 20)
        #expect(Set(ids).count == 1)
        #expect(try database.session().query("SELECT count(*) FROM users")[0][0] == 1)
        #expect(try database.session().query("SELECT count(*) FROM identities")[0][0] == 1)
    }

    @Test("is another, when twenty subjects of one name are first seen at once")
    func racingNames() async throws {
        let ids = try await seenAtOnce { ("subject \($0)", "rob") }
        #expect(Set(ids).count == 20)
        #expect(
            try database.session().query("SELECT count(DISTINCT username) FROM users")[0][0] == 20)
    }

    private func seenAtOnce(
        _ who: @escaping @Sendable (Int) -> (subject: String, name: String)
    ) async throws -> [UUID] {
        try await withStore(database, connections: 12) { store in
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let (subject, name) = who(number)
                        return try await Self.make(store, subject, as: name).id
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    @Test("keeps a name that is of the form, and no other")
    func constraints() throws {
        let session = try database.session()
        for (username, displayName) in [
            ("Rob", "R"), ("r", "R"), (String(repeating: "r", count: 31), "R"), ("a b", "R"),
            ("rob", ""), ("rob", String(repeating: "é", count: 81)),
        ] {
            let error = #expect(throws: PostgresError.self) {
                try session.query(
                    "INSERT INTO users (username, display_name) VALUES ($1, $2)",
                    [.text(username), .text(displayName)])
            }
            #expect(error?.sqlState == SQLState.checkViolation)
        }
    }

    @Test("shares the server's signing keys with whoever starts at the same time")
    func signingKeys() async throws {
        try await onThreads(6) { [database] number in
            let candidate = StoredSigningKey(
                id: "key-number-\(number)", privateKey: String(repeating: "A", count: 43) + "=")
            let keys = try StoredSigningKey.loadOrMake(database.session(), candidate: candidate)
            #expect(keys.count == 1)
        }
        try await withStore(database) { store in
            let keys = try await store.signingKeys()
            #expect(keys.count == 1)
        }
    }
}
