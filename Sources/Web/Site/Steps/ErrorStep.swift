import Endpoints
import HTTP
import HTTPServer
import HTTPTypes
import Languages
import Views

/// Makes a response of what went wrong: a problem document, or a page for a person.
struct ErrorStep: Sendable {
    let services: Services
    let router: Router<Route>

    func response(to error: any Error, _ incoming: IncomingRequest) -> Response {
        if let moved = error as? Moved { return .temporaryRedirect(to: moved.path) }
        if let error = SignInRequired(error, incoming.visitor) {
            let href = ReturnPath.appending(error.returnPath, to: "/sign-in")
            return unsent(incoming)?.response(
                to: Problem(.forbidden, .signedOutUnsaved),
                signingInAt: href, pageContext(incoming)) ?? .seeOther(href)
        }
        let problem = problem(error, incoming)
        return switch incoming.kind {
        case .plainAPI where incoming.request.target.segments.first == "oauth":
            OAuthAPI.response(to: problem)
        case .plainAPI:
            V0Error(error, problem).response(to: incoming.request, for: services.addresses)
        case .api, .document: document(problem, incoming.id)
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file: page(problem, incoming)
        }
    }

    /// The problem to show. If people can only read, and reading fails too, it is the operator's message.
    private func problem(_ error: any Error, _ incoming: IncomingRequest) -> Problem {
        let problem = Problem(error, logger: incoming.logger)
        guard problem.kind == .unavailable, incoming.request.method.isRead,
            let message = services.health.maintenance.message
        else { return problem }
        return .maintenance(message)
    }

    private func page(_ problem: Problem, _ incoming: IncomingRequest) -> Response {
        let page = pageContext(incoming, visitor: incoming.visitor)
        return unsent(incoming)?.response(to: problem, page)
            ?? ErrorPage.response(to: problem, page)
    }

    private func pageContext(
        _ incoming: IncomingRequest, visitor: Visitor? = nil
    ) -> PageContext {
        PageContext(
            services, incoming.language, visitor: visitor,
            // A query that leads to an error may be anyone's words, or a secret that is no longer valid.
            address: ReturnPath.ofPage(incoming.request, services.settings)
                .map { String($0.prefix { $0 != "?" }) })
    }

    /// What someone has typed into a form of ours.
    private func unsent(_ incoming: IncomingRequest) -> UnsentForm? {
        guard case .found(let route, let parameters) = incoming.match,
            let context = try? RequestContext(incoming, parameters, services),
            (try? context.checkOrigin()) != nil
        else { return nil }
        return UnsentForm(route, incoming.request)
    }

    /// The response to an error of the connection, without a request that could say whether it wants a
    /// page. The form of a page, which a person has sent, is still known by its target.
    func response(
        to error: ConnectionError, at target: RequestTarget?, _ id: RequestID
    ) -> (response: Response, kind: AddressKind) {
        guard let target,
            Routes.kind(of: target, router.match(.post, target.segments)) == .page
        else { return (document(Problem(error), id), .api) }
        var problem = Problem(error)
        if case .badRequest(let fault) = error, fault.code == .bodyTooLarge {
            problem = Problem(
                .contentTooLarge,
                Routes.bodyLimits[target.path].map { .fileTooLargeForPage($0 / 1_000_000) }
                    ?? .textTooLong)
        }
        let page = PageContext(services, services.settings.languages.site)
        return (ErrorPage.response(to: problem, page), .page)
    }

    private func document(_ problem: Problem, _ id: RequestID) -> Response {
        problem.response(for: services.addresses, requestID: id)
    }
}
