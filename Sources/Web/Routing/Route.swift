import HTTP
import HTTPTypes

/// One method of one address, with everything that is known about it. The router, the rate limits,
/// caching, `robots.txt`, CORS and the API's description are derived from the declared routes.
struct Route: Sendable {
    let method: HTTPRequest.Method
    /// The path's pattern, as `Router` reads it.
    let pattern: String
    let kind: AddressKind
    /// The route in the API's description; `nil` for a route that is not described, such as a page.
    let operation: Operation?
    let inputs: [InputDescription]
    let answers: [AnswerDescription]
    /// What can go wrong, besides the problems that come with the inputs and the kind.
    let problems: [ProblemKind]
    let caching: Caching
    /// What a request costs, besides what its parameters cost.
    let cost: Cost
    /// The parameters that make a request dearer.
    let surcharges: [InputDescription.Parameter]
    /// The pattern of the page that is shown again if something is wrong with the route's form.
    let page: String
    private let declaredCrawling: Crawling
    let respond: @Sendable (Call) async throws -> Response
    /// Checks a request whose body is large, before that is read.
    let admit: @Sendable (Call) async throws -> Void

    /// - Parameters:
    ///   - input: The handler's inputs, in this order.
    ///   - page: The pattern of the page that has the form, which is shown again if something is wrong
    ///     with it. The route's own if `nil`.
    ///   - answer: Makes the response from the handler's output.
    ///   - problems: What can go wrong, besides the problems that come with the inputs and the
    ///     kind.
    ///   - cost: What a request costs, besides what the inputs cost. A constant costs nothing.
    init<each Taken: Input, Given: Answer>(
        _ method: HTTPRequest.Method, _ pattern: String, _ purpose: Purpose,
        takes input: repeat each Taken,
        on page: String? = nil, answers answer: Given, fails problems: [ProblemKind] = [],
        caching: Caching = .revalidated, costs cost: Cost = .plain, crawling: Crawling = .allowed,
        handler: @escaping @Sendable (Call, repeat (each Taken).Value) async throws -> Given.Output
    ) {
        self.method = method
        self.pattern = pattern
        kind = purpose.kind
        operation = purpose.operation
        var inputs: [InputDescription] = []
        for input in repeat each input { inputs.append(input.description) }
        self.inputs = inputs
        surcharges = inputs.flatMap(\.parameters).filter { $0.surcharge != .nothing }
        answers = answer.descriptions
        self.problems = problems
        self.page = page ?? pattern
        self.caching = caching
        self.cost = caching == .constant ? .nothing : cost
        declaredCrawling = crawling
        let handle: @Sendable (Call) async throws -> Response = { call in
            let output = try await handler(call, repeat try await (each input).read(call))
            return caching.applied(to: try await answer.response(output, to: call))
        }
        let admit: @Sendable (Call) async throws -> Void = { call in
            for input in repeat each input { try await input.admit(call) }
        }
        // A page is only changed by its own forms, whatever the handler reads.
        guard purpose.kind == .page, method == .post else {
            respond = handle
            self.admit = admit
            return
        }
        let takesFiles = inputs.contains { $0.body?.type == .formData }
        let admitForm: @Sendable (Call) async throws -> Void = { call in
            try await admit(call)
            try call.checkOrigin()
        }
        self.admit = admitForm
        respond = { call in
            try await admitForm(call)
            return try await call.submit(on: page ?? pattern, hasFiles: takesFiles, to: handle)
        }
    }

    /// What a route is for.
    struct Purpose: Sendable {
        let kind: AddressKind
        var operation: Operation?

        static let page = Purpose(kind: .page)
        static let embed = Purpose(kind: .embed)
        /// A document that the API's description leaves out.
        static let document = Purpose(kind: .document)
        static let file = Purpose(kind: .file)

        /// - Parameters:
        ///   - id: The operation's permanent name, which generated clients use.
        ///   - summary: A few words that begin with a verb.
        static func api(
            _ id: String, _ tag: Operation.Tag, _ summary: String, _ description: String? = nil
        ) -> Purpose {
            described(.api, id, tag, summary, description)
        }

        static func v0(_ id: String, _ summary: String, _ description: String? = nil) -> Purpose {
            described(.v0, id, .firstFrontEnd, summary, description)
        }

        /// For programs that work with the server as a whole.
        static func service(
            _ kind: AddressKind, _ id: String, _ summary: String, _ description: String? = nil
        ) -> Purpose {
            described(kind, id, .service, summary, description)
        }

        private static func described(
            _ kind: AddressKind, _ id: String, _ tag: Operation.Tag, _ summary: String,
            _ description: String?
        ) -> Purpose {
            Purpose(
                kind: kind,
                operation: Operation(id: id, tag: tag, summary: summary, description: description))
        }
    }

    /// The API's description of a route as a whole.
    struct Operation: Sendable {
        let id: String
        let tag: Tag
        let summary: String
        let description: String?
    }

    /// Who may call the route.
    var caller: Caller { inputs.map(\.caller).max() ?? .anyone }

    /// What a request to the route costs.
    func cost(of request: Request) -> Cost {
        guard !surcharges.isEmpty, request.target.query != nil,
            let items = try? request.target.queryItems()
        else { return cost }
        return surcharges.reduce(cost) { cost, parameter in
            Query.filled(items[parameter.name]) == nil ? cost : cost + parameter.surcharge
        }
    }

    /// What the caller's token must allow, if the route reads one.
    var access: RequiredAccess? { inputs.lazy.compactMap(\.access).first }

    /// Whether only moderators and administrators may call the route.
    var isForModerators: Bool { inputs.contains { $0.isForModerators } }

    /// Whether the route answers the same for as long as the server runs, to everyone who is not
    /// signed in.
    var isConstant: Bool { caching == .constant }

    /// Whether answers to people who are not signed in are kept until something changes that they
    /// depend on.
    var mayBeKept: Bool {
        method == .get && caller != .user && caching != .never && caching != .constant
    }

    /// What crawlers are asked to do. They are asked to stay away from routes for signed-in users.
    var crawling: Crawling { caller == .user ? .disallowed : declaredCrawling }
}

/// How long a successful response may be cached, and by whom: RFC 9111. If the handler sets
/// Cache-Control itself, that takes precedence.
enum Caching: Hashable, Sendable {
    /// Clients ask each time, and mostly get 304. For the API, shared caches may answer for a
    /// moment.
    case revalidated
    /// The response is the same for as long as the server runs, for everyone who is not signed in.
    /// Each loop keeps it.
    case constant
    /// No one may keep the response: it is for one person, or contains a secret.
    case never
    /// Everyone may keep the response.
    case everywhere(seconds: Int)

    /// For a response that everyone may keep for ever, because other content has another address.
    static let immutableValue = "public, max-age=31536000, immutable"

    fileprivate func applied(to response: Response) -> Response {
        var response = response
        response.cacheability = response.cacheability ?? (self == .never ? .never : .untilChanged)
        guard response.status.kind == .successful || response.status == .notModified,
            response.headerFields[.cacheControl] ?? "no-cache" == "no-cache", let value
        else { return response }
        response.headerFields[.cacheControl] = value
        return response
    }

    private var value: String? {
        switch self {
        case .revalidated, .constant: nil
        case .never: "no-store"
        case .everywhere(let seconds): "public, max-age=\(seconds)"
        }
    }
}

/// What crawlers are asked to do with an address: RFC 9309, and the sitemap.
enum Crawling: Sendable {
    case allowed
    /// Crawlers may read the path alone, but not what its queries find.
    case withoutQuery
    /// The address has no parameters, and the sitemap names it.
    case listed
    case disallowed
}
