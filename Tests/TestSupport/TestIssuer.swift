import Foundation

/// Someone else who says who people are: rob is the only one.
public enum TestIssuer {
    /// Runs `body` with the settings of a server that believes the issuer.
    public static func run<Result>(
        _ body: ([String: String]) async throws -> Result
    ) async throws -> Result {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-test-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body([
            "JWT_ISSUER": "https://issuer.example", "JWT_AUDIENCE": "fave",
            "JWKS_URL": file.absoluteString,
        ])
    }

    // Signed by a key that was thrown away; the tokens differ in "exp" only.
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAE1CPuOM36sOkEjdWA/sq7tg6U8Dimu3ucScM0Rxz9XU=
        -----END PUBLIC KEY-----
        """
    public static let untilYear2001 = """
        eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoiZmF2ZSIsInN1Y\
        iI6IjEiLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJyb2IiLCJleHAiOjEwMDAwMDAwMDB9.TyVzgK3Vuo2z76CPNP\
        XSu4Fs98Dd7_q-jEhW3z3gCzip21-cVqgpNGQa9d7AipPqHD7boeZbbzWnVdlHuhQ7AQ
        """
    public static let untilYear2096 = """
        eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoiZmF2ZSIsInN1Y\
        iI6IjEiLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJyb2IiLCJleHAiOjQwMDAwMDAwMDB9.8bNvxSctY-7eANKRxd\
        ALmMNV4K1PacXH1z0e8nereX3VbiWDhl6sPiE3HVtBmdbWvNiFzyjx-SVtxiKo6ManCw
        """
}
