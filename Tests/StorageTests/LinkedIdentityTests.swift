import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("An identity", .blocking)
struct LinkedIdentityTests {
    private let database: TestDatabase
    private let rob: UUID
    private let ada: UUID
    private static let issuer = "https://id.example"

    init() throws {
        database = try TestDatabase(.migrated)
        rob = try database.makeUser("rob")
        ada = try database.makeUser("ada")
    }

    private func setPassword() throws {
        try database.session().query(
            "INSERT INTO passwords (user_id, hash) VALUES ($1, '$scrypt$x')", [.uuid(rob)])
    }

    @Test("is linked to one user, and signs them in")
    func linked() async throws {
        try await withStore(database) { [rob, ada] store async throws in
            let issuer = Self.issuer
            guard case .linked = try await store.link(userID: rob, issuer: issuer, subject: "1")
            else { throw TestFailure("not linked") }
            guard
                case .linkedBefore = try await store.link(
                    userID: rob, issuer: issuer, subject: "1")
            else { throw TestFailure("not known") }
            guard case .isAnothers = try await store.link(userID: ada, issuer: issuer, subject: "1")
            else { throw TestFailure("taken from its user") }
            guard
                case .linked = try await store.link(
                    userID: ada, issuer: "https://other.example", subject: "1")
            else { throw TestFailure("another issuer's subject is another") }
            #expect(try await store.user(issuer: issuer, subject: "1")?.id == rob)
            let identities = try await store.identities(userID: rob)
            #expect(identities.map(\.subject) == ["1"])
            #expect(identities.map(\.issuer) == [issuer])
        }
    }

    private static func unlink(_ store: Store, _ user: UUID, _ id: UUID) async throws -> Bool {
        try await store.unlink(
            userID: user, identityID: id, countsPassword: true, issuers: [issuer])
    }

    @Test("can be taken away by its user alone, and then be linked to another")
    func unlinked() async throws {
        try await withStore(database) { [self] store async throws in
            for subject in ["1", "2"] {
                _ = try await store.link(userID: rob, issuer: Self.issuer, subject: subject)
            }
            try setPassword()
            let first = try #require(try await store.identities(userID: rob).first)
            #expect(first.subject == "1")
            _ = try await Self.unlink(store, ada, first.id)
            #expect(try await Self.unlink(store, rob, UUID()), "it is not there already")
            #expect(try await store.identities(userID: rob).count == 2)
            #expect(try await Self.unlink(store, rob, first.id))
            #expect(try await store.identities(userID: rob).map(\.subject) == ["2"])
            #expect(try await store.user(issuer: Self.issuer, subject: "1") == nil)
            guard
                case .linked = try await store.link(
                    userID: ada, issuer: Self.issuer, subject: "1")
            else { throw TestFailure("not linked") }
        }
    }

    @Test("stays if it is the last way to sign in, and goes if there is a password")
    func last() async throws {
        try await withStore(database) { [rob] store async throws in
            for subject in ["1", "2"] {
                _ = try await store.link(userID: rob, issuer: Self.issuer, subject: subject)
            }
            let ids = try await store.identities(userID: rob).map(\.id)
            #expect(
                try await !store.unlink(
                    userID: rob, identityID: ids[0], countsPassword: true,
                    issuers: ["https://other.example"]),
                "the other one's issuer lets nobody in")
            #expect(try await Self.unlink(store, rob, ids[0]))
            #expect(try await !Self.unlink(store, rob, ids[1]))
            #expect(try await store.identities(userID: rob).map(\.id) == [ids[1]])
            try await store.setPassword(
                hash: "$scrypt$x", confirmedBy: Confirmation(userID: rob))
            #expect(
                try await !store.unlink(
                    userID: rob, identityID: ids[1], countsPassword: false, issuers: [Self.issuer]),
                "passwords let nobody in")
            #expect(try await Self.unlink(store, rob, ids[1]))
            #expect(try await store.identities(userID: rob) == [])
        }
    }

    @Test("stays when the last two are taken away at once")
    func lastRace() async throws {
        try await withStore(database, connections: 4) { [rob] store async throws in
            for round in 0..<10 {
                for number in 0..<2 {
                    _ = try await store.link(
                        userID: rob, issuer: Self.issuer, subject: "\(round) \(number)")
                }
                let ids = try await store.identities(userID: rob).map(\.id)
                let unlinked = Counter()
                try await withThrowingTaskGroup { group in
                    for id in ids {
                        group.addTask {
                            if try await Self.unlink(store, rob, id) {
                                unlinked.increment()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(unlinked.value == ids.count - 1)
                #expect(try await store.identities(userID: rob).count == 1)
            }
        }
    }

    @Test("is one of ten, however many are linked at once")
    func bound() async throws {
        let linked = Counter()
        let refused = Counter()
        try await withStores(2, database, connections: 8) { [rob] index, store async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<15 {
                    group.addTask {
                        let outcome = try await store.link(
                            userID: rob, issuer: Self.issuer, subject: "\(index) \(number)")
                        switch outcome {
                        case .linked: linked.increment()
                        case .tooMany: refused.increment()
                        default: Issue.record("\(outcome)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(linked.value == 10)
        #expect(refused.value == 20)
        try await withStore(database) { [rob] store async throws in
            let identities = try await store.identities(userID: rob)
            #expect(identities.count == Store.identityLimit)
            // What is there already is no eleventh.
            let known = try #require(identities.first)
            guard
                case .linkedBefore = try await store.link(
                    userID: rob, issuer: known.issuer, subject: known.subject)
            else { throw TestFailure("not known") }
        }
    }

    @Test("goes to one of two users who link it at once")
    func linkRace() async throws {
        try await withStore(database, connections: 4) { [rob, ada] store async throws in
            for round in 0..<10 {
                let linked = Counter()
                try await withThrowingTaskGroup { group in
                    for user in [rob, ada] {
                        group.addTask {
                            let outcome = try await store.link(
                                userID: user, issuer: "https://\(round).example", subject: "1")
                            switch outcome {
                            case .linked: linked.increment()
                            case .isAnothers: break
                            case .tooMany: break
                            case .linkedBefore: Issue.record("known before")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(linked.value == 1)
            }
        }
    }
}
