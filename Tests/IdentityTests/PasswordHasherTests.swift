import Foundation
import Synchronization
import TestSupport
import Testing
import Work

@testable import Identity

@Suite("The password hasher", .blocking)
struct PasswordHasherTests {
    /// Runs `body` with a hasher whose hashes take no time.
    private func withHasher<Result>(
        ln: Int = 4, threads: Int = 1, queueLimit: Int = 64,
        _ body: (PasswordHasher) async throws -> Result
    ) async throws -> Result {
        let workers = WorkerPool(threads: threads, queueLimit: queueLimit)
        defer { workers.close() }
        return try await body(PasswordHasher(ln: ln, on: workers))
    }

    @Test("tells the right password from wrong ones")
    func verify() async throws {
        try await withHasher { hasher in
            let password = try NewPassword("tulip staple 42", for: "rob")
            let hash = try await hasher.hash(password)
            #expect(hash.hasPrefix("$scrypt$ln=4,r=8,p=3$"))
            let right = try await hasher.verify("tulip staple 42", against: hash)
            #expect(right.matches)
            #expect(!right.needsRenewal)
            for wrong in ["", "tulip staple 4", "tulip staple 42 ", "TULIP STAPLE 42"] {
                let verification = try await hasher.verify(wrong, against: hash)
                #expect(!verification.matches)
                #expect(!verification.needsRenewal)
            }
        }
    }

    @Test(
        "finds no password right where there is none, or nothing that can be read",
        arguments: [
            nil, "", "garbage", "$scrypt$", "$2b$12$abcdefghijklmnopqrstuv",
            "$scrypt$ln=4,r=8,p=3$$",
            "$scrypt$ln=30,r=8,p=3$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
        ])
    func nothingToCompare(hash: String?) async throws {
        try await withHasher { hasher in
            for password in ["", "tulip staple 42"] {
                let verification = try await hasher.verify(password, against: hash)
                #expect(!verification.matches)
                #expect(!verification.needsRenewal)
            }
        }
    }

    @Test("says that a hash needs renewal when the costs are others now, if it is right")
    func renewal() async throws {
        let old = try await withHasher(ln: 3) { try await $0.hash("tulip staple 42") }
        try await withHasher(ln: 4) { hasher in
            let right = try await hasher.verify("tulip staple 42", against: old)
            #expect(right.matches)
            #expect(right.needsRenewal)
            let wrong = try await hasher.verify("tulip staple 43", against: old)
            #expect(!wrong.matches)
            #expect(!wrong.needsRenewal)
            let new = try await hasher.hash("tulip staple 42")
            #expect(try await !hasher.verify("tulip staple 42", against: new).needsRenewal)
        }
    }

    @Test("takes no password that is longer than any can be, even if it is right")
    func overlong() async throws {
        try await withHasher { hasher in
            let longest = String(repeating: "🎮", count: 128)
            #expect(longest.utf8.count == 512)
            for (password, matches) in [(longest, true), (longest + "x", false)] {
                let hash = try await hasher.hash(password)
                #expect(try await hasher.verify(password, against: hash).matches == matches)
            }
        }
    }

    @Test("refuses what there is no place for, and serves what waits")
    func queueBound() async throws {
        let workers = WorkerPool(threads: 1, queueLimit: 3)
        let hasher = PasswordHasher(ln: 4, on: workers)
        let begun = Recorder<Bool>()
        let end = DispatchSemaphore(value: 0)
        defer {
            end.signal()
            workers.close()
        }
        // The only thread is busy until all have asked.
        async let other: Void = workers.run(.password, isCancellable: false) {
            begun.record(true)
            end.wait()
        }
        try await eventually("a busy thread") { begun.count == 1 }
        async let first = hasher.hash("tulip staple 42")
        async let second = hasher.hash("tulip staple 42")
        async let third = hasher.hash("tulip staple 42")
        try await eventually("a full queue") { workers.waitingCount == 3 }
        for _ in 0..<5 {
            await #expect(throws: WorkerPool.BusyError.self) {
                try await hasher.hash("tulip staple 42")
            }
        }
        end.signal()
        try await other
        for hash in try await [first, second, third] { #expect(hash.hasPrefix("$scrypt$")) }
        // And goes on afterwards.
        let hash = try await hasher.hash("tulip staple 42")
        #expect(try await hasher.verify("tulip staple 42", against: hash).matches)
    }

    @Test("serves all who fit, with few threads as with many", arguments: [1, 2, 5])
    func manyAtOnce(threads: Int) async throws {
        try await withHasher(threads: threads, queueLimit: 200) { hasher in
            let hash = try await hasher.hash("tulip staple 42")
            let right = try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let password = number.isMultiple(of: 2) ? "tulip staple 42" : "\(number)"
                        return try await hasher.verify(password, against: hash).matches
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(right == 50)
        }
    }
}
