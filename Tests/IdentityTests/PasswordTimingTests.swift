import FaveGames
import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("Whether there is an account", .blocking)
struct PasswordTimingTests {
    /// Everybody's hash is asked for: none of these is told apart by being quick.
    private static let names = ["rob", "provided", "disabled", "unknown", "not a name!", ""]

    @Test("does not decide whether a password is hashed")
    func hashes() async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        let working = PasswordHasher(ln: 4, on: WorkerPool(threads: 1))
        let hash = try await working.hash(NewPassword("tulip staple 42", for: "rob"))
        for name in ["rob", "provided", "disabled"] {
            try session.query(
                "INSERT INTO users (username, display_name) VALUES ($1, $1)", [.text(name)])
        }
        try session.query(
            """
            INSERT INTO passwords (user_id, hash)
            SELECT id, $1 FROM users WHERE username <> 'provided'
            """, [.text(hash)])
        try session.execute("UPDATE users SET disabled_at = now() WHERE username = 'disabled'")
        let keys = [try #require(SigningKey(SigningKey.make()))]

        /// What comes of signing in where passwords are hashed by `hasher`.
        func outcomes(_ hasher: PasswordHasher) async throws -> [AccountError?] {
            let url = database.url
            return try await withLoop { loop in
                let pool = try PostgresPool(
                    PostgresConfiguration(connectionString: url), on: loop, logger: .silent)
                return try await onLoop(loop) {
                    pool.open()
                    let accounts = Accounts(
                        store: Store(pool), hasher: hasher,
                        ownKeys: OwnKeys(keys, loop: loop, logger: .silent) { [] },
                        policy: AccountPolicy())
                    var outcomes: [AccountError?] = []
                    for name in Self.names {
                        do {
                            _ = try await accounts.signIn(
                                name, password: "wrong password", from: "")
                            outcomes.append(nil)
                        } catch let error as AccountError {
                            outcomes.append(error)
                        }
                    }
                    return outcomes
                }
            }
        }
        let count = Self.names.count
        #expect(
            try await outcomes(working)
                == Array(repeating: AccountError.wrongCredentials, count: count))
        // It has room for nothing: whoever comes as far as that is told so.
        let full = PasswordHasher(ln: 4, on: WorkerPool(threads: 0, queueLimit: 0))
        #expect(
            try await outcomes(full) == Array(repeating: AccountError.busy, count: count))
    }

    @Test("does not decide how long that takes")
    func duration() async throws {
        let workers = WorkerPool(threads: 1)
        defer { workers.close() }
        let hasher = PasswordHasher(ln: 11, on: workers)
        let hash = try await hasher.hash(NewPassword("tulip staple 42", for: "rob"))
        /// What the thread that hashes has worked, in seconds. This is real time, since it is what
        /// someone who tries names would measure; but whatever else runs doesn't count.
        func work() async throws -> Double {
            try await workers.run(.password, isCancellable: false) {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
        }
        /// The least of some.
        func shortest(_ password: String, _ hash: String?) async throws -> Double {
            var shortest = Double.infinity
            for _ in 0..<3 {
                let start = try await work()
                let verification = try await hasher.verify(password, against: hash)
                shortest = min(shortest, try await work() - start)
                #expect(!verification.matches)
            }
            return shortest
        }
        let wrong = try await shortest("wrong password", hash)
        #expect(try await shortest("wrong password", nil) > wrong / 4, "no hash")
        #expect(try await shortest("", nil) > wrong / 4, "no hash and no password")
        #expect(try await shortest("wrong password", "$scrypt$x") > wrong / 4, "no such hash")
        let long = String(repeating: "x", count: 10_000)
        #expect(try await shortest(long, hash) > wrong / 4, "too long a password")
    }

    @Test("never lets the empty password in, nor the one that decoys are compared with")
    func decoy() async throws {
        let hasher = PasswordHasher(ln: 4, on: WorkerPool(threads: 1))
        for password in ["", " ", "wrong password"] {
            for hash in [nil, "", "$scrypt$", "$scrypt$ln=4,r=8,p=3$$", "plain"] as [String?] {
                let verification = try await hasher.verify(password, against: hash)
                #expect(!verification.matches)
                #expect(!verification.needsRenewal)
            }
        }
    }
}
