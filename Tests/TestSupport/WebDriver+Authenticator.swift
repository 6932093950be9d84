// Passkeys: WebAuthn Level 2, section 11.
extension WebDriver {
    /// Gives the browser an authenticator that keeps credentials, knows its user and agrees to
    /// everything.
    public func addAuthenticator() throws {
        try send(
            .addAuthenticator,
            [
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
                "hasUserVerification": true, "isUserConsenting": true, "isUserVerified": true,
            ])
    }
}
