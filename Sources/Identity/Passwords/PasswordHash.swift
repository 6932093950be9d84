import Crypto
import CryptoExtras
import Encodings
import Foundation

/// A password's hash by scrypt (RFC 7914), with its salt and costs. Its text is in the PHC string
/// format: `$scrypt$ln=15,r=8,p=3$salt$hash`.
struct PasswordHash: Sendable {
    /// The costs of one guess.
    struct Costs: Hashable, Sendable {
        /// The binary logarithm of scrypt's N; memory is 2^ln · r · 128 bytes.
        let ln: Int
        let r: Int
        let p: Int

        /// The costs that OWASP's cheat sheet on password storage recommends for 32 MiB.
        ///
        /// - Parameter ln: The recommended 15; more or less where the hardware calls for it.
        init(ln: Int = 15) {
            self.init(ln: ln, r: 8, p: 3)
        }

        private init(ln: Int, r: Int, p: Int) {
            self.ln = ln
            self.r = r
            self.p = p
        }

        /// - Returns: `nil` if the text is malformed, or the costs are too high for this server.
        fileprivate init?(parsing text: Substring) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let names = ["ln=", "r=", "p="]
            let costs = zip(parts, names).compactMap { part, name in
                part.hasPrefix(name) ? Int(decimal: part.dropFirst(name.count), digits: 1...2) : nil
            }
            guard parts.count == names.count, costs.count == names.count,
                (1...20).contains(costs[0]), (1...16).contains(costs[1]),
                (1...16).contains(costs[2])
            else { return nil }
            self.init(ln: costs[0], r: costs[1], p: costs[2])
        }

        /// Whether a guess takes less time than with the other costs.
        func isLower(than other: Costs) -> Bool { (r * p) << ln < (other.r * other.p) << other.ln }

        fileprivate var text: String { "ln=\(ln),r=\(r),p=\(p)" }
    }

    let costs: Costs
    private let salt: [UInt8]
    private let key: [UInt8]

    /// Hashes a password with a new salt. Takes too long for an event loop's thread.
    init(_ password: String, costs: Costs) throws {
        salt = Self.randomBytes(16)
        key = try Self.derive(password, salt: salt, costs: costs, byteCount: 32)
        self.costs = costs
    }

    /// A random hash, which no known password has. Comparing a password with it takes as long as
    /// with any other hash; making it takes no hashing.
    static func decoy(costs: Costs) -> PasswordHash {
        PasswordHash(costs: costs, salt: randomBytes(16), key: randomBytes(32))
    }

    private init(costs: Costs, salt: [UInt8], key: [UInt8]) {
        self.costs = costs
        self.salt = salt
        self.key = key
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Returns: `nil` if the text is not a hash in this format.
    init?(parsing text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let costs = Costs(parsing: parts[2]),
            let salt = Self.decode(parts[3]), let key = Self.decode(parts[4]),
            (8...64).contains(salt.count), (16...64).contains(key.count)
        else { return nil }
        self.costs = costs
        self.salt = salt
        self.key = key
    }

    var text: String { "$scrypt$\(costs.text)$\(Self.encode(salt))$\(Self.encode(key))" }

    /// Whether this is the password's hash. Takes as long as hashing, for any password.
    func matches(_ password: String) throws -> Bool {
        let derived = try Self.derive(password, salt: salt, costs: costs, byteCount: key.count)
        // Compared in constant time: no byte is skipped.
        return zip(derived, key).reduce(derived.count ^ key.count) { $0 | Int($1.0 ^ $1.1) } == 0
    }

    private static func derive(
        _ password: String, salt: [UInt8], costs: Costs, byteCount: Int
    ) throws -> [UInt8] {
        // The same text, typed on another system, may arrive in another normal form of Unicode.
        let normalized = password.precomposedStringWithCanonicalMapping
        let key = try KDF.Scrypt.deriveKey(
            from: Data(normalized.utf8), salt: Data(salt), outputByteCount: byteCount,
            rounds: 1 << costs.ln, blockSize: costs.r, parallelism: costs.p)
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }

    /// The format's base64 has no padding.
    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}
