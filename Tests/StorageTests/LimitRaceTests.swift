import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// Someone who sends many requests at once gets no more than someone who sends them one by one.
@Suite("Limits", .blocking)
struct LimitRaceTests {
    private let database: TestDatabase
    private let user: UUID

    init() throws {
        database = try TestDatabase(.migrated)
        user = try database.makeUser("rob")
    }

    /// Runs `body` with each of forty numbers, on twenty connections.
    private func race(_ body: @escaping @Sendable (Store, Int) async throws -> Void) async throws {
        try await withStores(4, database, connections: 5) { loop, store in
            try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask { try await body(store, loop * 10 + number) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func digest(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 30) + [UInt8(number / 256), UInt8(number % 256)]
    }

    private func count(_ table: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(table)")[0][0]
    }

    @Test("of personal tokens hold, however many are made at once", arguments: 0..<3)
    func tokens(round: Int) async throws {
        let made = Counter()
        try await race { [user] store, number in
            let token = try await store.makePersonalToken(
                tokenHash: Self.digest(number), name: "Sheet", scopes: [.read], days: nil, limit: 5,
                confirmedBy: Confirmation(userID: user))
            if token != nil { made.increment() }
        }
        #expect(try count("personal_tokens") == 5 && made.value == 5)
    }

    @Test("of passkeys hold, however many are added at once", arguments: 0..<3)
    func passkeys(round: Int) async throws {
        let added = Counter()
        try await race { [user] store, number in
            let outcome = try await store.addPasskey(
                credentialID: Self.digest(number), publicKey: [1], counter: 0, name: "Phone",
                limit: 5, confirmedBy: Confirmation(userID: user))
            if case .added = outcome { added.increment() }
        }
        #expect(try count("passkeys") == 5 && added.value == 5)
    }

    @Test("of invitations hold, however many are made at once", arguments: 0..<3)
    func invitations(round: Int) async throws {
        let made = Counter()
        try await race { [user] store, number in
            let invitation = try await store.makeInvitation(
                userID: user, tokenHash: Self.digest(number), uses: 1, days: 1, limit: 5)
            if invitation != nil { made.increment() }
        }
        #expect(try count("invitations") == 5 && made.value == 5)
    }

    @Test(
        "of recovery codes hold: those who replace them at once leave the codes of one",
        arguments: 0..<3)
    func codes(round: Int) async throws {
        try await race { [user] store, number in
            try await store.replaceRecoveryCodes(
                hashes: (0..<8).map { Self.digest(number * 8 + $0) },
                confirmedBy: Confirmation(userID: user))
        }
        #expect(try count("recovery_codes") == 8)
    }
}
