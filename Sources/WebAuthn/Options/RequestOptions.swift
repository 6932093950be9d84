import Encodings
public import JSON

/// The options that the browser gets for signing in with a credential, section 5.5.
///
/// Written as JSON, for `PublicKeyCredential.parseRequestOptionsFromJSON`. No credentials are
/// listed: the user chooses among the authenticators' discoverable credentials for the site.
public struct RequestOptions: Hashable, Sendable {
    public let ceremony: Ceremony
    /// In milliseconds. Browsers take it as a hint.
    public let timeout: Int

    public init(ceremony: Ceremony, timeout: Int) {
        self.ceremony = ceremony
        self.timeout = timeout
    }

    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("challenge", Base64URL.encode(ceremony.challenge))
            json.member("timeout", timeout)
            json.member("rpId", ceremony.relyingParty.id)
            json.name("allowCredentials")
            json.array { _ in }
            json.member("userVerification", ceremony.userVerification.rawValue)
        }
    }
}
