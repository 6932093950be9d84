import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite("The password hasher", .timeLimit(.minutes(2)))
struct PasswordHasherTests {
    /// Runs `body` with a hasher whose hashes take no time.
    private func withHasher<Result>(
        ln: Int = 4, threads: Int = 1, queueLimit: Int = 64,
        _ body: (PasswordHasher) async throws -> Result
    ) async throws -> Result {
        let hasher = PasswordHasher(ln: ln, threads: threads, queueLimit: queueLimit)
        defer { hasher.close() }
        return try await body(hasher)
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
        // Slow enough that all have asked before the first is done.
        try await withHasher(ln: 14, queueLimit: 3) { hasher in
            let busy = Recorder<Bool>()
            try await withThrowingTaskGroup { group in
                for _ in 0..<40 {
                    group.addTask {
                        do {
                            let hash = try await hasher.hash("tulip staple 42")
                            #expect(hash.hasPrefix("$scrypt$"))
                        } catch is PasswordHasher.BusyError {
                            busy.record(true)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect((1...37).contains(busy.count), "\(busy.count)")
            // And goes on afterwards.
            let hash = try await hasher.hash("tulip staple 42")
            #expect(try await hasher.verify("tulip staple 42", against: hash).matches)
        }
    }

    @Test("lets no client take all the places, and keeps those of others free")
    func shares() async throws {
        // Without threads nothing ends: what has a place keeps it.
        let hasher = PasswordHasher(ln: 4, threads: 0, queueLimit: 12)
        let refused = Recorder<Bool>()
        let greedy = (0..<20).map { _ in
            Task {
                do {
                    _ = try await hasher.hash("tulip staple 42", for: "203.0.113.5")
                } catch is PasswordHasher.BusyError {
                    refused.record(true)
                }
            }
        }
        try await eventually("fourteen refusals") { refused.count == 14 }
        let other = Task { try await hasher.hash("tulip staple 42", for: "198.51.100.7") }
        try await eventually("a place for another") { hasher.waitingCount == 7 }
        #expect(refused.count == 14)
        _ = (greedy, other)
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

    @Test("hashes on threads of its own, which yield to the others", arguments: [1, 3])
    func threads(count: Int) async throws {
        func yielding() throws -> Set<String> {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
                    let stat = try? String(
                        contentsOfFile: "/proc/self/task/\($0)/stat", encoding: .utf8)
                    // The nice value is the seventeenth field after the name; see proc(5).
                    let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
                    return fields.count > 16 && fields[16] == "10"
                })
        }
        let before = try yielding()
        try await withHasher(threads: count) { hasher in
            _ = try await hasher.hash("tulip staple 42")
            try await eventually { try yielding().subtracting(before).count >= count }
        }
    }

    @Test("does what waits before it ends, and nothing after that")
    func closing() async throws {
        let hasher = PasswordHasher(ln: 10, threads: 2)
        let waiting = (0..<6).map { number in Task { try await hasher.hash("password \(number)") } }
        var done = 0
        let first = try await waiting[0].value
        #expect(first.hasPrefix("$scrypt$"))
        hasher.close()
        for task in waiting {
            do {
                _ = try await task.value
                done += 1
            } catch is PasswordHasher.BusyError {
                // It had not asked yet.
            }
        }
        #expect(done >= 1)
        await #expect(throws: PasswordHasher.BusyError.self) {
            try await hasher.hash("too late, sorry")
        }
    }
}
