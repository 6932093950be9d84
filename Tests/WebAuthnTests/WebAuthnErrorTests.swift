import Testing
import WebAuthn

@Suite("An error of WebAuthn")
struct WebAuthnErrorTests {
    @Test("is described in a sentence", arguments: WebAuthnError.allCases)
    func description(error: WebAuthnError) {
        #expect(error.description.hasSuffix(".") && error.description.first?.isUppercase == true)
    }
}
