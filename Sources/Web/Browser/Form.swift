import HTTP
import HTTPTypes
import Identity

// Forms that change something are taken only from our own pages: their origin must be ours, and
// they must carry a token that only this browser's pages have.
extension Call {
    /// What the tokens of this browser's forms are derived from: its session, or before that a
    /// cookie.
    private var formSecret: SecretToken? {
        visitor?.token
            ?? Cookie.form.value(in: request, isSecure: services.settings.isSecure)
            .flatMap(SecretToken.init)
    }

    /// The token for the forms of a page, and the cookie that must come with it, if any.
    func formToken() -> (token: String, cookie: HTTPField?) {
        if let formSecret { return (formSecret.derive(Self.formPurpose), nil) }
        let secret = SecretToken()
        return (
            secret.derive(Self.formPurpose),
            Cookie.form.setting(secret.text, isSecure: services.settings.isSecure)
        )
    }

    static let formPurpose = "form"

    /// The fields of a form that someone sent from one of our pages.
    ///
    /// - Throws: 403 if it came from elsewhere, 415 or 400 if it is no form.
    func form() throws -> FormItems {
        let items = try unprovenForm()
        try prove(items)
        return items
    }

    /// The fields of a form of our pages that may have been opened before someone signed in or out:
    /// fit to be shown again, not to change anything.
    func unprovenForm() throws -> FormItems {
        try checkOrigin()
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .formURLEncoded) else {
            throw Problem(.unsupportedMediaType, "This address only accepts the form on its page.")
        }
        return try FormItems(parsing: request.body)
    }

    /// - Throws: 403 if a form has no token that is good for this browser's session.
    func prove(_ items: FormItems) throws(Problem) {
        guard let formSecret else {
            throw Problem(
                .forbidden,
                "This form needs a cookie, and your browser sent none. Allow cookies for this site, "
                    + "reload the form and send it again.")
        }
        guard let token = items["token"], formSecret.derives(Self.formPurpose, is: token) else {
            throw Problem(
                .forbidden,
                "This form has expired: you have signed in or out since it was opened. Go "
                    + "back, reload the page and send it again.")
        }
    }

    /// Browsers say where a form comes from, in fields that no page can set.
    private func checkOrigin() throws(Problem) {
        let fields = request.headerFields
        if let site = fields[.secFetchSite], site != "same-origin", site != "none" {
            throw Self.foreignForm
        }
        // Older browsers leave out Origin, and then there is the page's address.
        guard let origin = fields[.origin] ?? fields[.referer].map(Self.origin) else {
            throw Self.foreignForm
        }
        // By the address that the operator has set, or by the one that the browser meant to ask:
        // someone who opens the site as "localhost" is not at the public address.
        let isOurs =
            origin == Self.origin(services.settings.publicURL)
            || ["https://", "http://"].contains { origin == $0 + request.authority }
        guard isOurs else { throw Self.foreignForm }
    }

    private static let foreignForm = Problem(
        .forbidden, "This form was sent from another site, so nothing was changed.")

    /// Scheme and authority of an address.
    private static func origin(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}
