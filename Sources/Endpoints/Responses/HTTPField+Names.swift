package import HTTPTypes

extension HTTPField.Name {
    package static let acceptPatch = constant("Accept-Patch")
    package static let cacheStatus = constant("Cache-Status")
    package static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
    package static let idempotencyKey = constant("Idempotency-Key")
    package static let idempotencyReplayed = constant("Idempotency-Replayed")
    package static let link = constant("Link")
    package static let permissionsPolicy = constant("Permissions-Policy")
    package static let referrerPolicy = constant("Referrer-Policy")
    package static let secFetchSite = constant("Sec-Fetch-Site")
    package static let xForwardedFor = constant("X-Forwarded-For")
    package static let rateLimit = constant("RateLimit")
    package static let rateLimitPolicy = constant("RateLimit-Policy")
    package static let xRequestID = constant("X-Request-ID")
    package static let xRobotsTag = constant("X-Robots-Tag")

    /// For names that are written in this file, and known to be valid.
    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field") }
        return field
    }
}
