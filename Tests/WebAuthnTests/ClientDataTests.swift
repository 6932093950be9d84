import Testing

@testable import WebAuthn

/// What both ceremonies check of client data.
@Suite("Client data")
struct ClientDataTests {
    private let authenticator = SoftwareAuthenticator()

    /// Runs both ceremonies, which must agree.
    private func refusal(
        _ ceremony: Ceremony = SoftwareAuthenticator.ceremony(),
        _ change: (inout SoftwareAuthenticator.Response) -> Void = { _ in }
    ) -> WebAuthnError? {
        var errors: [WebAuthnError?] = []
        do throws(WebAuthnError) {
            _ = try authenticator.register(change).verify(ceremony)
            errors.append(nil)
        } catch {
            errors.append(error)
        }
        do throws(WebAuthnError) {
            _ = try authenticator.assert(change).verify(
                ceremony, credential: authenticator.stored())
            errors.append(nil)
        } catch {
            errors.append(error)
        }
        #expect(errors[0] == errors[1])
        return errors[1]
    }

    private func ceremony(
        challenge: [UInt8] = SoftwareAuthenticator.challenge,
        origins: [String] = SoftwareAuthenticator.site.origins
    ) -> Ceremony {
        Ceremony(
            relyingParty: RelyingParty(id: "fave.example", name: "Fave", origins: origins),
            challenge: challenge, userVerification: .preferred)
    }

    // MARK: Type and challenge

    @Test("must be of the ceremony's type")
    func type() {
        let stored = authenticator.stored()
        for type in ["webauthn.get", "webauthn.Create", "webauthn.create ", "payment.get", ""] {
            #expect(throws: WebAuthnError.wrongCeremony) {
                try authenticator.register { $0.type = type }
                    .verify(SoftwareAuthenticator.ceremony())
            }
        }
        for type in ["webauthn.create", "payment.get", "webauthn.get\\u0000", ""] {
            #expect(throws: WebAuthnError.wrongCeremony) {
                try authenticator.assert { $0.type = type }
                    .verify(SoftwareAuthenticator.ceremony(), credential: stored)
            }
        }
    }

    @Test("must repeat the challenge")
    func challenge() {
        #expect(refusal() == nil)
        #expect(refusal { $0.challenge[0] ^= 1 } == .challengeMismatch)
        #expect(refusal { $0.challenge[31] ^= 1 } == .challengeMismatch)
        #expect(refusal { $0.challenge.removeLast() } == .challengeMismatch)
        #expect(refusal { $0.challenge.append(0) } == .challengeMismatch)
        #expect(refusal { $0.challenge = [] } == .challengeMismatch)
    }

    @Test("must write the challenge in base64url without padding")
    func challengeEncoding() {
        let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaG_vv__4"
        #expect(refusal { $0.challengeText = text } == nil)
        #expect(refusal { $0.challengeText = text + "=" } == .challengeMismatch)
        let plain = text.replacing("_", with: "/").replacing("-", with: "+")
        #expect(refusal { $0.challengeText = plain } == .challengeMismatch)
        // The last letter has two bits that mean nothing.
        #expect(refusal { $0.challengeText = text.dropLast() + "5" } == .challengeMismatch)
    }

    @Test("repeats no challenge shorter than 16 bytes, even an expected one")
    func shortChallenge() {
        for length in [0, 1, 15] {
            let short = [UInt8](repeating: 9, count: length)
            #expect(
                refusal(ceremony(challenge: short)) { $0.challenge = short } == .challengeMismatch)
        }
        let long = [UInt8](repeating: 9, count: 16)
        #expect(refusal(ceremony(challenge: long)) { $0.challenge = long } == nil)
    }

    // MARK: Origin

    @Test("must come from exactly one of the expected origins")
    func origin() {
        #expect(refusal { $0.origin = "https://www.fave.example" } == nil)
        for origin in [
            "https://evil.example", "http://fave.example", "https://fave.example/",
            "https://fave.example:443", "https://fave.example:8443", "https://Fave.example",
            "https://fave.example.evil.example", "https://a.fave.example", "", "null",
            "https://fave.exampl\u{65}\u{301}", "android:apk-key-hash:abc",
        ] {
            #expect(refusal { $0.origin = origin } == .originMismatch, "\(origin)")
        }
        #expect(refusal(ceremony(origins: [])) == .originMismatch)
    }

    @Test("must come from an origin byte by byte, even if Unicode has another spelling of it")
    func originBytes() {
        let composed = ceremony(origins: ["https://caf\u{E9}.example"])
        #expect(refusal(composed) { $0.origin = "https://caf\u{E9}.example" } == nil)
        #expect(refusal(composed) { $0.origin = "https://cafe\u{301}.example" } == .originMismatch)
    }

    @Test("must not come from within a frame of another site")
    func crossOrigin() {
        #expect(refusal { $0.otherMembers = "" } == nil)
        #expect(refusal { $0.otherMembers = #","crossOrigin":false"# } == nil)
        #expect(refusal { $0.otherMembers = #","crossOrigin":true"# } == .crossOrigin)
        for value in ["null", "0", "1", #""true""#, "[]"] {
            #expect(
                refusal { $0.otherMembers = #","crossOrigin":"# + value } == .malformedClientData)
        }
    }

    // MARK: Token Binding

    @Test("must not have used Token Binding")
    func tokenBinding() {
        for status in ["supported", "not-supported", "unheard-of"] {
            let member = #","tokenBinding":{"status":"\#(status)"}"#
            #expect(refusal { $0.otherMembers = member } == nil)
        }
        for binding in [#"{"status":"present","id":"abc"}"#, #"{"status":"present"}"#] {
            #expect(refusal { $0.otherMembers = #","tokenBinding":"# + binding } == .tokenBinding)
        }
        for binding in ["null", "1", #""present""#, "[]", "{}", #"{"status":1}"#] {
            #expect(
                refusal { $0.otherMembers = #","tokenBinding":"# + binding } == .malformedClientData
            )
        }
    }

    // MARK: JSON

    @Test("may have members that we do not know, and a byte order mark")
    func tolerated() {
        #expect(
            refusal {
                $0.otherMembers =
                    #","topOrigin":"https://a.example","other_keys_can_be_added_here":"do not""#
            } == nil)
        #expect(refusal { $0.clientDataJSON = [0xEF, 0xBB, 0xBF] + $0.clientData } == nil)
        #expect(
            refusal { $0.clientDataJSON = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + $0.clientData }
                == .malformedClientData)
    }

    @Test(
        "must be a JSON object with its members, each of them once",
        arguments: [
            "", "{", "{}", "[]", "null", "webauthn.get", "\u{0}",
            #"{"type":"webauthn.get"}"#, #"{"challenge":"","origin":""}"#,
            #"{"type":"webauthn.get","challenge":"AA"}"#,
            #"{"type":"webauthn.get","origin":"https://fave.example"}"#,
            #"{"type":1,"challenge":"AA","origin":"https://fave.example"}"#,
            #"{"type":"webauthn.get","challenge":null,"origin":"https://fave.example"}"#,
            #"{"type":"webauthn.get","challenge":"AA","origin":["https://fave.example"]}"#,
            #"{"type":"a","challenge":"AA","origin":"b","type":"a"}"#,
            #"{"type":"a","challenge":"AA","origin":"b","\u006frigin":"c"}"#,
            #"{"type":"a","challenge":"AA","origin":"b"},"#,
        ])
    func malformed(text: String) {
        #expect(refusal { $0.clientDataJSON = Array(text.utf8) } == .malformedClientData)
    }

    @Test("must be UTF-8")
    func encoding() {
        #expect(refusal { $0.clientDataJSON = [0xFF] + $0.clientData } == .malformedClientData)
        #expect(
            refusal {
                $0.clientDataJSON = $0.clientData.dropLast() + [0x2C, 0x22, 0xFF, 0x22, 0x7D]
            }
                == .malformedClientData)
    }

    @Test("has at most eight kibibytes")
    func size() {
        let plain = authenticator.request { $0.otherMembers = "" }.clientData.count
        // Both types of client data get the longer one's padding.
        let create = authenticator.creation { $0.otherMembers = "" }.clientData.count
        #expect(create > plain)
        #expect(refusal { $0.otherMembers = String(repeating: " ", count: 8192 - create) } == nil)
        #expect(
            refusal { $0.otherMembers = String(repeating: " ", count: 8193 - plain) }
                == .malformedClientData)
    }
}
