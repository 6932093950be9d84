import HTTP
import HTTPTypes
import Identity

// A form that changes something is accepted only from our own pages: its origin must be ours, and
// it must have a token that only this browser's pages have.
extension Call {
    /// The secret from which the tokens of this browser's forms are derived: the session's, or a
    /// cookie's while no one is signed in.
    private var formSecret: SecretToken? {
        visitor?.token
            ?? Cookie.form.value(in: request, isSecure: services.settings.isSecure)
            .flatMap(SecretToken.init)
    }

    /// The token for the forms of a page, and the cookie that must be set with it, if any.
    func formToken() -> (token: String, cookie: HTTPField?) {
        if let formSecret { return (formSecret.derive(Self.formPurpose), nil) }
        let secret = SecretToken()
        return (
            secret.derive(Self.formPurpose),
            Cookie.form.setting(secret.text, isSecure: services.settings.isSecure)
        )
    }

    static let formPurpose = "form"

    /// The fields of a form that was sent from one of our pages.
    ///
    /// - Throws: 403 if the form comes from elsewhere, 415 or 400 if the body is not a form.
    func form() throws -> FormItems {
        let items = try unprovenForm()
        try prove(items)
        return items
    }

    /// The fields of a form whose token is not checked. Someone may have signed in or out since our
    /// page was opened, so the fields may be shown again, but must not change anything.
    func unprovenForm() throws -> FormItems {
        try checkOrigin()
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .formURLEncoded) else { throw Self.noForm }
        return try FormItems(parsing: request.body)
    }

    /// - Throws: 403 if a form has no token that is valid for this browser's session.
    func prove(_ items: FormItems) throws(Problem) { try prove(items["token"]) }

    /// - Throws: 403 if it is not the token of this browser's session.
    func prove(_ token: String?) throws(Problem) {
        guard let formSecret else {
            throw Problem(
                .forbidden,
                "This form needs a cookie, and your browser sent none. Allow cookies for this site, "
                    + "reload the page and try again.")
        }
        guard let token, formSecret.derives(Self.formPurpose, is: token) else {
            throw Problem(
                .forbidden,
                "This form has expired: you’ve signed in or out since you opened it. Go back, "
                    + "reload the page and try again.")
        }
    }

    static let noForm = Problem(
        .unsupportedMediaType, "This address only accepts the form on its page.")

    /// Checks where a form comes from. Browsers say so in fields that no page can set.
    func checkOrigin() throws(Problem) {
        let fields = request.headerFields
        if let site = fields[.secFetchSite], site != "same-origin", site != "none" {
            throw Self.foreignForm
        }
        // Older browsers omit Origin. Referer then has the page's address.
        guard let origin = fields[.origin] ?? fields[.referer].map(Request.origin) else {
            throw Self.foreignForm
        }
        guard request.isOwn(origin, publicURL: services.settings.publicURL) else {
            throw Self.foreignForm
        }
    }

    private static let foreignForm = Problem(
        .forbidden, "This form was sent from another site, so nothing was changed.")
}

extension Request {
    /// Whether an origin is the site's own: that of the address that the operator has set, or the one
    /// that the browser sent the request to. Someone who opens the site as "localhost" is not at the
    /// public address.
    func isOwn(_ origin: String, publicURL: String) -> Bool {
        origin == Self.origin(publicURL)
            || ["https://", "http://"].contains { origin == $0 + authority }
    }

    /// The scheme and the authority of an address.
    fileprivate static func origin(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}
