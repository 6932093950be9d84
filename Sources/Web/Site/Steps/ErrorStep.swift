import HTTP
import HTTPServer

/// Makes a response of what went wrong: a problem document, or a page for a person.
struct ErrorStep: Sendable {
    let services: Services

    func response(to error: any Error, _ context: RequestContext) -> Response {
        if let moved = error as? Moved { return .temporaryRedirect(to: moved.path) }
        if context.kind == .v0 {
            return V0Error(error, logger: context.logger).response(to: context.request)
        }
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: context.logger)
        return switch context.kind {
        case .api, .v0, .document: document(problem, context.id)
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file:
            ErrorPage.response(to: problem, PageContext(services, visitor: context.visitor))
        }
    }

    /// The response to an error of the connection, without a request that could say whether it wants a
    /// page. The form of a page, which a person has sent, may still be known by its target.
    func response(
        to error: ConnectionError, at target: RequestTarget?, _ id: RequestID
    ) -> (response: Response, kind: AddressKind) {
        guard let target, let limit = Routes.bodyLimits[target.path],
            Routes.kind(of: target) == .page
        else { return (document(Problem(error), id), .api) }
        let problem =
            if case .badRequest(let fault) = error, fault.code == .bodyTooLarge {
                Problem(
                    .contentTooLarge,
                    "The file is too large: it may have at most \(limit / 1_000_000) MB. Go back, and "
                        + "choose another one.")
            } else {
                Problem(error)
            }
        return (ErrorPage.response(to: problem, PageContext(services)), .page)
    }

    private func document(_ problem: Problem, _ id: RequestID) -> Response {
        problem.response(publicURL: services.settings.publicURL, requestID: id)
    }
}
