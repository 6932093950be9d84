package import HTTP
import HTTPTypes
import Languages

// Every POST to a page is a form, and is accepted only from our own pages: its origin must be ours, and
// it must have a token that only this browser's pages have. `Route+Steps` shows the order.
extension RequestContext {
    /// Responds to a form that was sent from one of our pages. If something is wrong with it, the page is
    /// shown again, with what was typed.
    ///
    /// - Parameters:
    ///   - page: The pattern of the page that has the form.
    ///   - hasFiles: Whether the form may have files.
    ///   - handle: Does what the form asks for. It is called only for a form of ours.
    /// - Throws: 403 if the form comes from elsewhere, 415 or 400 if the body is not a form, and what
    ///   `handle` throws if there is no such page.
    func submit(
        on page: String, hasFiles: Bool,
        to handle: (RequestContext<Services>) async throws -> Response
    ) async throws -> Response {
        var context = self
        let form = try await received(hasFiles: hasFiles)
        context.sent = form
        var isOurs = false
        do {
            try services.checkFormToken(form["token"], of: context)
            isOurs = true
            return try await handle(context)
        } catch {
            guard let problem = services.refusal(error, of: form.items) else {
                return try await context.show(failure: error, on: page, isOurs: isOurs)
            }
            return try await context.show(refusal: problem, on: page, isOurs: isOurs)
        }
    }

    /// Shows the page of a form that was refused.
    private func show(
        refusal problem: Problem, on page: String, isOurs: Bool
    ) async throws -> Response {
        guard Services.pages[page] != nil else { throw problem.inSentences }
        guard !isOurs else { return try await show(problem, on: page) }
        // The visitor may have signed out since they opened the page, and some pages need a sign-in.
        guard let response = try? await show(problem, on: page),
            [problem.status, .seeOther].contains(response.status)
        else { throw problem }
        return response
    }

    /// Shows the page of a form that could not be handled, if it will work later.
    private func show(
        failure error: any Error, on page: String, isOurs: Bool
    ) async throws -> Response {
        guard let failure = services.failure(error, of: self) else { throw error }
        // The page may need what has just failed.
        guard isOurs, failure.status == .serviceUnavailable,
            let response = try? await show(failure, on: page), response.status == failure.status
        else { throw failure }
        return response
    }

    /// Shows a page with what is wrong: its route responds as if its address had been opened with what
    /// the form says, and gets the problem beside the form.
    ///
    /// - Parameter page: Its pattern.
    package func show(_ problem: Problem, on page: String) async throws -> Response {
        guard let route = Services.pages[page] else { throw problem }
        var context = self
        var form = sent ?? SentForm(path: "", items: FormItems())
        form.problem = problem
        context.sent = form
        context.query = form.items
        var response = try await route.respond(context)
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
        guard hasFiles, let type, type.isSameType(as: .formData) else { throw noForm }
        let body = request.body
        let form: MultipartForm
        do {
            form = try await services.parseForm(body, type: type, from: client)
        } catch is RequestError {
            throw noForm
        }
        return SentForm(path: path, items: try FormItems(form), parts: form)
    }

    /// - Throws: 403 if a form doesn't come from a page of this site.
    package func checkOrigin() throws(Problem) {
        guard request.isFromOwnPage(publicURL: addresses.publicURL) else { throw foreignForm }
    }
}

private let noForm = Problem(
    .unsupportedMediaType, .english("This address only accepts the form on its page."))

private let foreignForm = Problem(
    .forbidden, .english("This form was sent from another site, so nothing was changed."))
