import HTTP
import HTTPTypes

/// One method of one address: everything that is known of it. The router, the rate limits, caching,
/// `robots.txt`, CORS and the API's description are derived from its routes.
struct Route: Sendable {
    let method: HTTPRequest.Method
    /// As `Router` reads it.
    let pattern: String
    let kind: AddressKind
    /// What the API's description says; `nil` for a route for people.
    let operation: Operation?
    let inputs: [InputDescription]
    let answers: [AnswerDescription]
    /// What can go wrong beside what inputs and kind bring along.
    let problems: [ProblemKind]
    let caching: Caching
    private let declaredCrawling: Crawling
    let respond: @Sendable (Call) async throws -> Response

    /// - Parameters:
    ///   - input: What the handler takes, in this order.
    ///   - answer: What is made of what the handler gives.
    ///   - problems: What can go wrong beside what inputs and kind bring along.
    init<each Taken: Input, Given: Answer>(
        _ method: HTTPRequest.Method, _ pattern: String, _ purpose: Purpose,
        takes input: repeat each Taken, answers answer: Given, fails problems: [ProblemKind] = [],
        caching: Caching = .revalidated, crawling: Crawling = .allowed,
        handler: @escaping @Sendable (Call, repeat (each Taken).Value) async throws -> Given.Output
    ) {
        self.method = method
        self.pattern = pattern
        kind = purpose.kind
        operation = purpose.operation
        var inputs: [InputDescription] = []
        for input in repeat each input { inputs.append(input.description) }
        self.inputs = inputs
        answers = answer.descriptions
        self.problems = problems
        self.caching = caching
        declaredCrawling = crawling
        respond = { call in
            let output = try await handler(call, repeat try await (each input).read(call))
            return caching.applied(to: try await answer.response(output, to: call))
        }
    }

    /// What a route is for.
    struct Purpose: Sendable {
        let kind: AddressKind
        var operation: Operation?

        static let page = Purpose(kind: .page)
        static let embed = Purpose(kind: .embed)
        /// Without a description.
        static let document = Purpose(kind: .document)
        static let file = Purpose(kind: .file)

        /// - Parameters:
        ///   - id: Names the operation for good: clients are generated with it.
        ///   - summary: A few words that begin with a verb.
        static func api(
            _ id: String, _ tag: Operation.Tag, _ summary: String, _ description: String? = nil
        ) -> Purpose {
            described(.api, id, tag, summary, description)
        }

        static func v0(_ id: String, _ summary: String, _ description: String? = nil) -> Purpose {
            described(.v0, id, .firstFrontEnd, summary, description)
        }

        /// What programs that work with the server as a whole read.
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

    /// What the API's description says of a route as a whole.
    struct Operation: Sendable {
        let id: String
        let tag: Tag
        let summary: String
        let description: String?
    }

    /// Who may call it.
    var caller: Caller { inputs.map(\.caller).max() ?? .anyone }

    /// Whether it says the same for as long as the server runs, to all who are not signed in.
    var isConstant: Bool { caching == .constant }

    /// What crawlers are asked to do. What is for one person only is not for them.
    var crawling: Crawling { caller == .user ? .disallowed : declaredCrawling }
}

/// How long an answer of success may be kept, and by whom: RFC 9111. A handler that sets
/// Cache-Control itself has decided.
enum Caching: Hashable, Sendable {
    /// Clients ask each time, and mostly get 304; the API allows shared caches a moment.
    case revalidated
    /// For as long as the server runs, to all who are not signed in: each loop keeps it.
    case constant
    /// By nobody: it is for one person, or holds a secret.
    case never
    /// By everybody.
    case everywhere(seconds: Int)
    /// By everybody for good: another content has another address.
    case immutable

    static let immutableValue = "public, max-age=31536000, immutable"

    fileprivate func applied(to response: Response) -> Response {
        guard response.status.kind == .successful || response.status == .notModified,
            response.headerFields[.cacheControl] ?? "no-cache" == "no-cache", let value
        else { return response }
        var response = response
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
enum Crawling: Sendable {
    case allowed
    /// Its path alone; not what its queries find.
    case withoutQuery
    /// It has no parameters, and the sitemap names it.
    case listed
    case disallowed
}
