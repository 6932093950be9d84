import JSON
import Testing
import WebAuthn

@Suite("The options for the browser")
struct OptionsTests {
    @Test("for creating a credential have the members that browsers expect")
    func creation() throws {
        let options = CreationOptions(
            ceremony: SoftwareAuthenticator.ceremony(.required),
            user: UserEntity(id: [0xFB, 0xFF], name: "rob", displayName: "Rob \"R\""),
            excludedCredentials: [[1, 2, 3], [0xFF]], timeout: 300_000)
        #expect(
            try JSONParser.parse(options.json) == [
                "rp": ["id": "fave.example", "name": "Fave"],
                "user": ["id": "-_8", "name": "rob", "displayName": "Rob \"R\""],
                "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaG_vv__4",
                "pubKeyCredParams": [
                    ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8],
                    ["type": "public-key", "alg": -257],
                ],
                "timeout": 300_000,
                "excludeCredentials": [
                    ["type": "public-key", "id": "AQID"], ["type": "public-key", "id": "_w"],
                ],
                "authenticatorSelection": [
                    "residentKey": "required", "requireResidentKey": true,
                    "userVerification": "required",
                ],
                "attestation": "none",
            ])
    }

    @Test("for signing in have the members that browsers expect")
    func request() throws {
        let options = RequestOptions(
            ceremony: SoftwareAuthenticator.ceremony(), timeout: 60_000)
        #expect(
            try JSONParser.parse(options.json) == [
                "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaG_vv__4", "timeout": 60_000,
                "rpId": "fave.example", "allowCredentials": [], "userVerification": "preferred",
            ])
    }

    @Test("can be part of another document")
    func embedded() throws {
        var json = JSONWriter()
        json.object { json in
            json.name("publicKey")
            RequestOptions(ceremony: SoftwareAuthenticator.ceremony(), timeout: 1).write(to: &json)
            json.member("next", "/")
        }
        let document = try JSONParser.parse(json.bytes)
        #expect(document["publicKey"]?["rpId"] == "fave.example")
        #expect(document["next"] == "/")
    }

    @Test("offer the algorithms that they are given, in that order")
    func algorithms() throws {
        let options = CreationOptions(
            ceremony: SoftwareAuthenticator.ceremony(),
            user: UserEntity(id: [1], name: "a", displayName: ""), algorithms: [.rs256, .es256],
            excludedCredentials: [], timeout: 1)
        let offered = try JSONParser.parse(options.json)["pubKeyCredParams"]?.elements
        #expect(offered?.map { $0["alg"] } == [-257, -7])
    }
}
