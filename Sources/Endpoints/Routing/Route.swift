package import HTTP
package import HTTPTypes

/// One method of one address, with everything that is known about it. The router, the rate limits,
/// caching, `robots.txt`, CORS and the API's description are derived from the declared routes.
///
/// A class, since each request refers to its route, and one reference is quicker to copy than all parts.
package final class Route<Services: Application>: Sendable {
    package let method: HTTPRequest.Method
    /// The path's pattern, as `Router` reads it.
    package let pattern: String
    package let kind: AddressKind
    /// The route in the API's description; `nil` for a route that is not described, such as a page.
    package let operation: APIOperation?
    package let inputs: [InputDescription]
    package let responses: [ResponseDescription]
    /// The possible problems, besides those of the inputs and the kind.
    package let problems: [ProblemKind]
    package let caching: Caching
    /// The cost of a request, without the surcharges of its parameters.
    package let cost: Cost
    /// The parameters with a surcharge.
    package let surcharges: [InputDescription.Parameter]
    /// The pattern of the page that is shown again if something is wrong with the route's form.
    package let page: String
    /// Whether responses say when their content last changed, which requests can have as a condition.
    package let sendsLastModified: Bool
    /// Whether someone must be signed in.
    package let signIn: SignIn
    private let declaredCrawling: Crawling
    /// The `#fileID` of the file that declares the route.
    package let file: String
    let approach: Approach
    /// The names of the query's parameters. A route of the API has no others.
    let queryNames: Set<String>
    let hasBody: Bool
    /// Reads the inputs, and has the handler respond.
    let makeResponse: @Sendable (RequestContext<Services>) async throws -> Response
    /// Checks what the inputs can tell from the head of a request.
    let admitInputs: @Sendable (RequestContext<Services>) async throws -> Void

    /// - Parameters:
    ///   - input: The handler's inputs, in this order.
    ///   - page: The pattern of the page with the form. The page is shown again if the form is invalid.
    ///     `nil` means the route's own pattern.
    ///   - response: Makes the response from the handler's output.
    ///   - problems: The possible problems, besides those of the inputs and the kind.
    ///   - cost: The cost of a request, without the surcharges of its inputs. A constant costs nothing.
    package convenience init<each Taken: Sendable, Output: Sendable>(
        _ method: HTTPRequest.Method, _ pattern: String, _ purpose: RoutePurpose,
        takes input: repeat Input<Services, each Taken>,
        on page: String? = nil, returns response: ResponseKind<Services, Output>,
        fails problems: [ProblemKind] = [],
        caching: Caching = .revalidated, costs cost: Cost = .plain, crawling: Crawling = .allowed,
        file: String = #fileID,
        handler:
            @escaping @Sendable (
                RequestContext<Services>, repeat each Taken
            ) async throws -> Output
    ) {
        var inputs: [InputDescription] = []
        for input in repeat each input { inputs.append(input.description) }
        self.init(
            method, pattern, purpose, inputs, on: page, responses: response.descriptions,
            problems: problems, caching: caching, cost: cost, crawling: crawling, file: file
        ) { context in
            let output = try await handler(context, repeat try await (each input).read(context))
            return try await response.respond(output, context)
        } admit: { context in
            for input in repeat each input { try await input.admit(context) }
        }
    }

    private init(
        _ method: HTTPRequest.Method, _ pattern: String, _ purpose: RoutePurpose,
        _ inputs: [InputDescription], on page: String?, responses: [ResponseDescription],
        problems: [ProblemKind], caching: Caching, cost: Cost, crawling: Crawling, file: String,
        respond: @escaping @Sendable (RequestContext<Services>) async throws -> Response,
        admit: @escaping @Sendable (RequestContext<Services>) async throws -> Void
    ) {
        self.method = method
        self.pattern = pattern
        kind = purpose.kind
        operation = purpose.operation
        approach = Approach(method, purpose, inputs)
        let inputs = approach.takesKey ? inputs + [IdempotencyKey.description] : inputs
        self.inputs = inputs
        signIn = inputs.map(\.signIn).max() ?? .notNeeded
        surcharges = inputs.flatMap(\.parameters).filter { $0.surcharge != .nothing }
        self.responses = responses
        sendsLastModified = responses.contains { $0.fields.contains(.lastModified) }
        self.problems = problems
        self.page = page ?? pattern
        self.caching = caching
        self.cost = caching == .constant ? .nothing : cost
        declaredCrawling = crawling
        self.file = file
        queryNames = Set(
            inputs.flatMap(\.parameters).lazy.filter { $0.place == .query }.map(\.name))
        hasBody = inputs.contains { $0.body != nil }
        makeResponse = respond
        admitInputs = admit
    }

    /// What a request to the route costs.
    package func cost(of request: Request) -> Cost {
        guard !surcharges.isEmpty, request.target.query != nil,
            let items = try? request.target.queryItems()
        else { return cost }
        return surcharges.reduce(cost) { cost, parameter in
            Query.filled(items[parameter.name]) == nil ? cost : cost + parameter.surcharge
        }
    }

    /// What the token must allow, if the route reads one.
    package var access: RequiredAccess? { inputs.lazy.compactMap(\.access).first }

    /// Whether pages of all sites may send its requests: they change nothing, or contain a secret that
    /// browsers don't add automatically. So a page can use only what a person has given it.
    package var isForEveryOrigin: Bool {
        method.isRead || operation?.isRead == true || inputs.contains { $0.hasCredential }
    }

    /// The only ones who may use the route, in the application's words; `nil` if `signIn` says enough.
    package var audience: String? { inputs.lazy.compactMap(\.audience).first }

    /// Whether everyone who is not signed in gets the same response for as long as the server runs.
    package var isConstant: Bool { caching == .constant }

    /// Whether responses to people who are not signed in are cached until something changes that they
    /// depend on.
    package var isCacheable: Bool {
        method == .get && signIn != .required && ![.never, .constant, .immutable].contains(caching)
    }

    /// What crawlers are asked to do. They are asked to stay away from routes for signed-in users.
    package var crawling: Crawling { signIn == .required ? .disallowed : declaredCrawling }
}

/// Says which caches may store a successful response, and for how long (RFC 9111). If the handler
/// sets Cache-Control itself, that takes precedence.
package enum Caching: Hashable, Sendable {
    /// Clients ask each time, and mostly get 304. For the API, shared caches may respond for a
    /// moment.
    case revalidated
    /// Everyone who is not signed in gets the same response for as long as the server runs. Each loop
    /// caches it.
    case constant
    /// No cache may store the response: it is for one person, or contains a secret.
    case never
    /// Every cache may store the response.
    case everywhere(seconds: Int)
    /// Every cache may store the response for ever, because new content gets a new address. The loops
    /// don't cache it.
    case immutable

    /// For a response that every cache may store for ever.
    package static let immutableValue = "public, max-age=31536000, immutable"

    func applied(to response: Response) -> Response {
        var response = response
        response.cacheability = response.cacheability ?? (self == .never ? .never : .untilChanged)
        guard response.status.kind == .successful || response.status == .notModified,
            response.headerFields.value(of: .cacheControl) ?? "no-cache" == "no-cache", let value
        else { return response }
        response.headerFields[.cacheControl] = value
        return response
    }

    private var value: String? {
        switch self {
        case .revalidated, .constant: nil
        case .never: "no-store"
        case .everywhere(let seconds): "public, max-age=\(seconds)"
        case .immutable: Self.immutableValue
        }
    }
}

/// What crawlers are asked to do with an address: RFC 9309, and the sitemap.
package enum Crawling: Sendable {
    case allowed
    /// Crawlers may read the path alone, but not what its queries find.
    case withoutQuery
    /// The address has no parameters, and the sitemap names it.
    case listed
    case disallowed
}
