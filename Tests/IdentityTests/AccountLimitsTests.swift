import Attempts
import FaveGames
import Foundation
import Logging
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Accounts", .blocking)
struct AccountLimitsTests {
    private static func withAccounts(
        _ change: (inout AccountPolicy) -> Void,
        _ body: @escaping @Sendable (Accounts, TestDatabase) async throws -> Void
    ) async throws {
        var policy = AccountPolicy()
        change(&policy)
        let finished = policy
        let database = try TestDatabase(.migrated)
        let keys = [try #require(SigningKey(SigningKey.make()))]
        let workers = WorkerPool(threads: 1)
        defer { workers.close() }
        try await withLoop { loop in
            let pool = try PostgresPool(
                PostgresConfiguration(connectionString: database.url), on: loop, logger: .silent)
            try await onLoop(loop) {
                pool.open()
                defer { pool.close() }
                let accounts = Accounts(
                    store: Store(pool), hasher: PasswordHasher(ln: 4, on: workers),
                    ownKeys: OwnKeys(keys, loop: loop, logger: .silent) { [] }, policy: finished)
                try await body(accounts, database)
            }
        }
    }

    @Test("have no blocked word in what someone from a provider chooses")
    func blockedWords() async throws {
        try await Self.withAccounts({ $0.refusedWords = RefusedWords(["pills"]) }) {
            accounts, database in
            func signUp(_ username: String, _ displayName: String) async throws {
                _ = try await accounts.signUp(
                    with: ProviderIdentity(issuer: "https://issuer.example", subject: "a"),
                    provedAt: Date(), as: try #require(Username(username)),
                    displayName: try #require(DisplayName(displayName)), visibility: .public,
                    from: "")
            }
            for (username, displayName) in [("robin", "Cheap PILLS"), ("my-pills", "Robin")] {
                await #expect(throws: RefusedText.self) { try await signUp(username, displayName) }
            }
            let session = try database.session()
            #expect(try session.query("SELECT count(*) FROM users")[0][0] == 0)
            try await signUp("robin", "Robin")
        }
    }

    @Test("are sent a few links for a new password, wherever these are asked for")
    func resets() async throws {
        try await Self.withAccounts({ $0.hasMail = true }) { accounts, database in
            let count = accounts.policy.resetsPerAccount.count
            // However the account is typed.
            let names = ["rob", "rob ", "@rob"]
            for number in 0..<count {
                try await accounts.sendReset(
                    of: names[number % names.count], from: "203.0.113.\(number)")
            }
            await #expect(throws: TooManyAttempts.self) {
                try await accounts.sendReset(of: "rob", from: "198.51.100.1")
            }
            try await accounts.sendReset(of: "ada", from: "198.51.100.1")
            let session = try database.session()
            #expect(try session.query("SELECT count(*) FROM outgoing_mail")[0][0] == count + 1)
        }
    }
}
