import Testing

@testable import HTTP

@Suite("The byte sets")
struct ByteSetTests {
    private static let digits = "0123456789"
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let unreserved = letters + digits + "-._~"
    private static let subDelimiters = "!$&'()*+,;="

    @Test("hold what their RFCs define, and nothing else")
    func definitions() {
        let segment = Self.unreserved + Self.subDelimiters + ":@"
        let definitions: [(ByteSet, String)] = [
            (.token, Self.letters + Self.digits + "!#$%&'*+-.^_`|~"),
            (.unreserved, Self.unreserved),
            (.path, segment + "%/"),
            (.query, segment + "%/?[]\\^`{|}"),
            (.ipv6, Self.digits + "abcdefABCDEF:."),
        ]
        for (set, characters) in definitions {
            let members = (UInt8.min...UInt8.max).filter(set.contains)
            #expect(members == Array(characters.utf8).sorted())
        }
    }
}
