import Encodings
public import JSON

/// The options that the browser gets for creating a credential, section 5.4.
///
/// Written as JSON, with the member names of Level 3 and binary values in Base64url, so that a page
/// can pass them to `PublicKeyCredential.parseCreationOptionsFromJSON`. The credential must be
/// discoverable, which lets users sign in without typing their names.
public struct CreationOptions: Hashable, Sendable {
    public let ceremony: Ceremony
    public let user: UserEntity
    /// In the order of preference.
    public let algorithms: [Algorithm]
    /// The ids of the user's credentials. An authenticator that holds one of them creates no other.
    public let excludedCredentials: [[UInt8]]
    /// In milliseconds. Browsers take it as a hint.
    public let timeout: Int

    public init(
        ceremony: Ceremony, user: UserEntity, algorithms: [Algorithm] = Algorithm.allCases,
        excludedCredentials: [[UInt8]], timeout: Int
    ) {
        self.ceremony = ceremony
        self.user = user
        self.algorithms = algorithms
        self.excludedCredentials = excludedCredentials
        self.timeout = timeout
    }

    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.name("rp")
            json.object { json in
                json.member("id", ceremony.relyingParty.id)
                json.member("name", ceremony.relyingParty.name)
            }
            json.name("user")
            json.object { json in
                json.member("id", Base64URL.encode(user.id))
                json.member("name", user.name)
                json.member("displayName", user.displayName)
            }
            json.member("challenge", Base64URL.encode(ceremony.challenge))
            json.name("pubKeyCredParams")
            json.array(algorithms) { json, algorithm in
                json.object { json in
                    json.member("type", "public-key")
                    json.member("alg", algorithm.rawValue)
                }
            }
            json.member("timeout", timeout)
            json.name("excludeCredentials")
            json.array(excludedCredentials) { json, id in
                json.object { json in
                    json.member("type", "public-key")
                    json.member("id", Base64URL.encode(id))
                }
            }
            writeAuthenticatorSelection(to: &json)
            json.member("attestation", "none")
        }
    }

    private func writeAuthenticatorSelection(to json: inout JSONWriter) {
        json.name("authenticatorSelection")
        json.object { json in
            json.member("residentKey", "required")
            // For browsers of Level 1, which do not know `residentKey`.
            json.name("requireResidentKey")
            json.bool(true)
            json.member("userVerification", ceremony.userVerification.rawValue)
        }
    }
}
