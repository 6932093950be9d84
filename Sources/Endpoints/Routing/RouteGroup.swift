package import HTTP
package import HTTPTypes

/// What several routes share, declared once: the beginning of their paths, and whom they are for.
///
/// The handlers of the group's routes get this person first.
package struct RouteGroup<Services: Application, Person: Sendable>: Sendable {
    private let prefix: String
    private let person: Input<Services, Person>
    private let page: String?

    /// - Parameters:
    ///   - prefix: What the patterns of the routes begin with.
    ///   - person: The first input of each route.
    ///   - page: The pattern of the page that has the routes' forms. Each route's own if `nil`.
    package init(
        _ prefix: String = "", for person: Input<Services, Person>, on page: String? = nil
    ) {
        self.prefix = prefix
        self.person = person
        self.page = page
    }

    /// A route of any kind. As `Route`.
    package func route<each Taken: Sendable, Output: Sendable>(
        _ method: HTTPRequest.Method, _ path: String = "", _ purpose: RoutePurpose,
        takes input: repeat Input<Services, each Taken>,
        returns response: ResponseKind<Services, Output>, fails problems: [ProblemKind] = [],
        caching: Caching = .revalidated, costs cost: Cost = .plain, crawling: Crawling = .allowed,
        file: String = #fileID,
        handler:
            @escaping @Sendable (
                RequestContext<Services>, Person, repeat each Taken
            ) async throws -> Output
    ) -> Route<Services> {
        Route(
            method, prefix + path, purpose, takes: person, repeat each input, on: page,
            returns: response, fails: problems, caching: caching, costs: cost, crawling: crawling,
            file: file, handler: handler)
    }

    /// What a form of a page is sent to.
    package func post<each Taken: Sendable>(
        _ path: String = "", takes input: repeat Input<Services, each Taken>,
        costs cost: Cost = .plain, file: String = #fileID,
        handler:
            @escaping @Sendable (
                RequestContext<Services>, Person, repeat each Taken
            ) async throws -> Response
    ) -> Route<Services> {
        route(
            .post, path, .page, takes: repeat each input, returns: .response, costs: cost,
            file: file, handler: handler)
    }
}
