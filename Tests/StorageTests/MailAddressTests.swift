import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// What was sent to one address is no proof of another one.
@Suite("An email address", .blocking)
struct MailAddressTests {
    private static let hash = "$scrypt$first"

    private let database: TestDatabase
    private let rob: UUID
    private let confirmation: Confirmation

    init() throws {
        database = try TestDatabase(.migrated)
        rob = try database.makeUser("rob")
        confirmation = try database.confirmation(rob, hash: Self.hash)
        try database.session().query(
            "INSERT INTO passwords (user_id, hash) VALUES ($1, $2)",
            [.uuid(rob), .text(Self.hash)])
    }

    private static func token(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private static func address(_ name: String) throws -> MailAddress {
        try #require(MailAddress("\(name)@mail.example"))
    }

    private func add(_ name: String, _ store: Store) async throws {
        try await store.addMailAddress(
            try Self.address(name), hours: 24, confirmedBy: confirmation)
    }

    /// Sends the link with this token to an address.
    private func send(_ number: UInt8, to name: String, _ store: Store) async throws -> Bool {
        try await store.addVerification(
            userID: rob, address: try Self.address(name), tokenHash: Self.token(number))
    }

    private func sendReset(_ number: UInt8, to name: String, _ store: Store) async throws -> Bool {
        try await store.addReset(
            to: MailRecipient(userID: rob, username: "rob", address: try Self.address(name)),
            tokenHash: Self.token(number), lifetime: 3600)
    }

    private func verified(_ store: Store) async throws -> String? {
        try await store.mailAddresses(userID: rob).verified
    }

    @Test("is confirmed by the links that were sent to it, and by none that went to the one before")
    func links() async throws {
        try await withStore(database) { [self] store async throws in
            try await add("first", store)
            #expect(try await send(1, to: "first", store))
            try await add("second", store)
            #expect(try await !send(2, to: "first", store), "it has been replaced meanwhile")
            for number in [1, 2] as [UInt8] {
                #expect(try await store.mailVerification(tokenHash: Self.token(number)) == nil)
                #expect(try await !store.confirmMailAddress(tokenHash: Self.token(number)))
            }
            #expect(try await verified(store) == nil)
            #expect(try await send(3, to: "second", store))
            #expect(try await store.confirmMailAddress(tokenHash: Self.token(3)))
            #expect(try await verified(store) == "second@mail.example")
        }
    }

    @Test("is where links for a new password go, which end with it")
    func resets() async throws {
        try await withStore(database) { [self] store async throws in
            for (number, name) in zip([1, 2] as [UInt8], ["first", "second"]) {
                try await add(name, store)
                #expect(try await send(number, to: name, store))
                #expect(try await store.confirmMailAddress(tokenHash: Self.token(number)))
                if name == "first" {
                    #expect(try await sendReset(10, to: "first", store))
                    #expect(try await store.user(resetToken: Self.token(10)) != nil)
                }
            }
            #expect(try await store.user(resetToken: Self.token(10)) == nil)
            #expect(try await !sendReset(11, to: "first", store), "it has been replaced meanwhile")
            #expect(try await store.user(resetToken: Self.token(11)) == nil)
            #expect(try await sendReset(12, to: "second", store))
            try await store.removeMailAddress(confirmedBy: confirmation)
            #expect(try await store.user(resetToken: Self.token(12)) == nil)
        }
    }

    @Test("that isn't confirmed yet is forgotten when the password changes")
    func changedPassword() async throws {
        try await withStore(database) { [self] store async throws in
            try await add("evil", store)
            #expect(try await send(1, to: "evil", store))
            try await store.setPassword(hash: "$scrypt$second", confirmedBy: confirmation)
            #expect(try await store.mailAddresses(userID: rob).pending == nil)
            #expect(try await !store.confirmMailAddress(tokenHash: Self.token(1)))
            #expect(try await verified(store) == nil)
        }
    }
}
