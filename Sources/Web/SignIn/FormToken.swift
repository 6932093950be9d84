import Encodings
import Endpoints
import HTTPTypes
import Identity
import Views

// A form on a page has a token that only this browser's pages have.
extension RequestContext {
    /// The secret that the tokens of this browser's forms are derived from: the session's, or a
    /// cookie's while no one is signed in.
    private var formSecret: SecretToken? { visitor?.token ?? guestSecret }

    /// The secret of this browser's forms while no one is signed in.
    var guestSecret: SecretToken? {
        Cookie.form.value(in: request, at: services.settings.cookieSite)
            .flatMap(SecretToken.init)
    }

    /// The token for the forms of a page, and the cookie that must be set with it, if any.
    func formToken() -> (token: String, cookie: HTTPField?) {
        if let formSecret { return (formSecret.formToken(), nil) }
        let secret = SecretToken()
        return (
            secret.formToken(),
            Cookie.form.setting(secret.text, at: services.settings.cookieSite)
        )
    }

    /// - Throws: 403 if it is not the token of this browser's session: someone may have signed in or out
    ///   since our page was opened.
    func checkFormToken(_ token: String?) throws(Problem) {
        guard let formSecret else {
            throw Problem(
                .forbidden,
                .formHasNoCookie)
        }
        guard let token, formSecret.accepts(formToken: token) else {
            throw Problem(
                .forbidden,
                .formExpired)
        }
    }
}

extension SecretToken {
    /// A token for a form: a nonce, and what only this secret can make of it. It is another one each
    /// time, so its bytes can't be guessed from the lengths of compressed pages (BREACH).
    func formToken() -> String {
        let random = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        let nonce = unsafe withUnsafeBytes(of: random) { unsafe Base64URL.encode($0) }
        return nonce + derive("form \(nonce)")
    }

    fileprivate func accepts(formToken token: String) -> Bool {
        let nonce = token.prefix(Self.nonceLength)
        return derives("form \(nonce)", is: String(token.dropFirst(Self.nonceLength)))
    }

    /// Of 16 bytes in base64.
    private static let nonceLength = 22
}
