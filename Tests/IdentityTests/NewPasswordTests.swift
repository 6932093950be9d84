import Testing

@testable import Identity

@Suite("A new password")
struct NewPasswordTests {
    private func weakness(_ text: String, for username: String = "rob") -> NewPassword.Weakness? {
        do throws(NewPassword.Weakness) {
            _ = try NewPassword(text, for: username)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "may be whatever is long enough and not what everybody has",
        arguments: [
            "tulip staple 42", "gXk2!pq9", "correct horse battery staple", "日本語のパスワード",
            "🎮🎲🎯🎳🎸🎺🎻🥁", "        a b c d", "12345679", "aaaabbbbccccdddd", "my name is rob",
        ])
    func good(text: String) throws {
        #expect(try NewPassword(text, for: "rob").text == text)
    }

    @Test("has eight to a hundred and twenty-eight characters")
    func lengths() {
        #expect(weakness("") == .tooShort)
        #expect(weakness("gXk2!pq") == .tooShort)
        #expect(weakness("gXk2!pq9") == nil)
        let long = String(repeating: "gXk2!pq9", count: 16)
        #expect(long.count == 128)
        #expect(weakness(long) == nil)
        #expect(weakness(long + "x") == .tooLong)
        // Scalars are counted, not what is seen of them.
        #expect(weakness("e\u{301}a\u{301}o\u{301}u\u{301}") == nil)
        #expect(weakness(String(repeating: "🎮🎲🎯🎳", count: 32)) == nil)
    }

    @Test("is not the username, also backwards or in capitals")
    func username() {
        for text in ["robinson", "ROBINSON", "nosnibor", "Nosnibor"] {
            #expect(weakness(text, for: "robinson") == .sameAsUsername)
        }
        #expect(weakness("robinson", for: "crusoe") == nil)
        #expect(weakness("robinson2", for: "robinson") == nil)
    }

    @Test(
        "is none of the first that anybody tries, however it is dressed up",
        arguments: [
            "password", "PASSWORD", "Password1", "password123", "p@ssw0rd", "P4$$w0rd",
            "!!password!!",
            "iloveyou", "1l0vey0u", "qwertyuiop", "12345678", "87654321", "abcdefgh", "hgfedcba",
            "123456789", "11111111", "aaaaaaaa", "abababab", "xyxyxyxyzzzz", "trustno1",
            "favegames", "Fave-Games", "video8", "videogames2026", "correcthorsebatterystaple",
        ].filter { $0.count >= 8 })
    func common(text: String) {
        #expect(weakness(text) == .common)
    }
}
