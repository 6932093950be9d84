import HTTP
import HTTPTypes
import Identity
import Views

// Every POST to a page is a form, and is accepted only from our own pages: its origin must be ours, and
// it must have a token that only this browser's pages have. `Route` sees to that.
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

    /// Answers a form that was sent from one of our pages. If something is wrong with it, the page is
    /// shown again, with what was typed.
    ///
    /// - Parameters:
    ///   - page: The pattern of the page that has the form.
    ///   - hasFiles: Whether the form may have files.
    ///   - handle: Does what the form asks for. It is called only for a form of ours.
    /// - Throws: 403 if the form comes from elsewhere, 415 or 400 if the body is not a form, and what
    ///   `handle` throws if there is no such page.
    func submit(
        on page: String, hasFiles: Bool, to handle: (Call) async throws -> Response
    ) async throws -> Response {
        var call = self
        let form = try await received(hasFiles: hasFiles)
        call.sent = form
        var problem: Problem
        var isOurs = false
        do {
            try prove(form["token"])
            isOurs = true
            return try await handle(call)
        } catch {
            guard let refusal = Problem(refusal: error) else { throw error }
            problem = refusal
            problem.locate(error, in: form.items)
            guard Routes.pages[page] != nil else { throw problem.inSentences }
        }
        guard !isOurs else { return try await call.show(problem, on: page) }
        // Not every page can be shown to someone who has signed out since.
        guard let response = try? await call.show(problem, on: page),
            [problem.status, .seeOther].contains(response.status)
        else { throw problem }
        return response
    }

    /// Shows a page with what is wrong.
    ///
    /// - Parameter page: Its pattern.
    func show(_ problem: Problem, on page: String) async throws -> Response {
        guard let route = Routes.pages[page] else { throw problem }
        var call = self
        var form = sent ?? SentForm(path: "", items: FormItems())
        form.problem = problem
        call.sent = form
        // As if the page's address had been opened with what the form says.
        call.query = form.items
        var response = try await route.respond(call)
        guard response.status == .ok else { return response }
        response.status = problem.errors.isEmpty ? problem.status : .unprocessableContent
        for field in problem.headerFields { response.headerFields.append(field) }
        response.forbidCaching()
        return response
    }

    /// The form in the request's body. One with a file is read on a worker's thread.
    private func received(hasFiles: Bool) async throws -> SentForm {
        let path = request.target.path
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        if let type, type.isSameType(as: .formURLEncoded) {
            return SentForm(path: path, items: try FormItems(parsing: request.body))
        }
        guard hasFiles, let type, type.isSameType(as: .formData) else { throw Self.noForm }
        let body = request.body
        do {
            let form = try await services.importer.reading(for: client.siteName) {
                try MultipartForm(parsing: body, type: type)
            }
            return SentForm(path: path, items: FormItems(form), parts: form)
        } catch is RequestError {
            throw Self.noForm
        }
    }

    /// - Throws: 403 if it is not the token of this browser's session: someone may have signed in or out
    ///   since our page was opened.
    private func prove(_ token: String?) throws(Problem) {
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

    private static let noForm = Problem(
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
