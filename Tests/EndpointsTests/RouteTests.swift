import HTTP
import HTTPTypes
import JSON
import Languages
import Testing

@testable import Endpoints

@Suite("A route")
struct RouteTests {
    private let library = Library()

    private func json(_ response: Response) throws -> JSONValue {
        try JSONParser.parse(response.body)
    }

    /// Expects a problem document.
    @discardableResult
    private func expect(
        _ kind: ProblemKind, _ response: Response, _ detail: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        #expect(response.status == kind.status, sourceLocation: location)
        #expect(
            response.headerFields[.contentType] == "application/problem+json",
            sourceLocation: location)
        #expect(response.headerFields[.cacheControl] == "no-store", sourceLocation: location)
        let document = try json(response).members
        #expect(
            document["type"] == .string("https://library.example/api/problems/\(kind.name)"),
            sourceLocation: location)
        #expect(document["title"] == .string(kind.title), sourceLocation: location)
        #expect(document["status"] == .int(kind.status.code), sourceLocation: location)
        #expect(
            detail.isEmpty || document["detail"]?.text?.contains(detail) == true, "\(document)",
            sourceLocation: location)
        return document["errors"] ?? []
    }

    // MARK: Path and query

    @Test("reads typed parameters of its path and its query")
    func parameters() async throws {
        let response = try await library.respond(.get, "/shelves/4?limit=2")
        #expect(response.status == .ok)
        #expect(response.headerFields[.contentType] == "application/json")
        #expect(
            try json(response).members["books"] == [
                ["title": "4-0", "pages": 1], ["title": "4-1", "pages": 1],
            ])
        let usual = try await library.respond(.get, "/shelves/4")
        #expect(try json(usual).members["books"]?.elements.count == 20)
    }

    @Test("has no address whose parameter can't be read")
    func paths() async throws {
        for shelf in ["0", "10", "x", "4x"] {
            try expect(
                .notFound, try await library.respond(.get, "/shelves/\(shelf)"),
                "There is no such shelf.")
        }
    }

    @Test("rejects a query that can't be read, or has a parameter twice")
    func queries() async throws {
        for limit in ["0", "101", "x", "", "1e1"] {
            try expect(
                .invalidParameter, try await library.respond(.get, "/shelves/4?limit=\(limit)"),
                "\"limit\" must be a whole number from 1 to 100")
        }
        try expect(
            .invalidParameter, try await library.respond(.get, "/shelves/4?limit=1&limit=1"),
            "more than")
    }

    @Test("reads the first of two inputs that the request has, and not the other")
    func alternatives() async throws {
        func books(_ query: String) async throws -> JSONValue? {
            try json(try await library.respond(.get, "/books?\(query)")).members["books"]
        }
        #expect(try await books("number=7&pages=wrong") == [["title": "Number 7", "pages": 7]])
        #expect(try await books("title=Emma&pages=9") == [["title": "Emma", "pages": 9]])
        #expect(try await books("") == [["title": "any", "pages": 100]])
        try expect(
            .invalidParameter, try await library.respond(.get, "/books?pages=wrong"), "pages")
    }

    @Test("costs more with parameters that do, unless they are empty")
    func costs() throws {
        func cost(_ target: String) throws -> Cost? {
            let request = try Request(target: target)
            guard
                case .found(let route, _) = Library.router.match(.get, request.target.segments)
            else { return nil }
            return route.cost(of: request)
        }
        #expect(try cost("/books") == .plain)
        #expect(try cost("/books?title=Emma") == .plain + .search)
        #expect(try cost("/books?title=%20&pages=2") == .plain)
    }

    @Test("refuses a parameter that it doesn't have, and one that is there twice")
    func strictQuery() async throws {
        for query in ["x=1", "limit=2&limit=2"] {
            let response = try await library.respond(.get, "/shelves/4?\(query)")
            try expect(.invalidParameter, response)
            #expect(
                try json(response).members["parameter"]?.text == String(query.prefix { $0 != "=" }))
        }
    }

    @Test("refuses a compressed body, and says what it accepts")
    func compressed() async throws {
        let response = try await library.respond(.post, "/books", [.contentEncoding: "gzip"], "x")
        try expect(.unsupportedMediaType, response)
        #expect(response.headerFields[.acceptEncoding] == "identity")
    }

    @Test("is carried out once if it is a POST with a key, and refuses a key otherwise")
    func keys() async throws {
        let key = "0123456789abcdef"
        let fields: HTTPFields = [.idempotencyKey: key, .contentType: "application/json"]
        let post = try await library.respond(.post, "/books", fields, #"{"books": []}"#)
        #expect(post.status.kind == .successful)
        #expect(post.headerFields[.idempotencyReplayed] == key)
        try expect(.invalidParameter, await library.respond(.get, "/shelves/4?limit=2", fields))
        try expect(
            .invalidParameter,
            await library.respond(.post, "/books", [.idempotencyKey: "short"]))
    }

    // MARK: Cursors

    @Test("links the pages of a long list, whose cursors it reads again")
    func pages() async throws {
        let first = try await library.respond(.get, "/shelves/4?limit=2")
        #expect(try json(first).members["previousCursor"] == .null)
        let next = try #require(try json(first).members["nextCursor"]?.text)
        let root = "https://library.example/shelves/4?limit=2"
        #expect(
            first.headerFields[.link]
                == "<\(root)&cursor=\(next)>; rel=\"next\", <\(root)>; rel=\"first\"")
        let second = try await library.respond(.get, "/shelves/4?limit=2&cursor=\(next)")
        #expect(
            try json(second).members["books"]?.elements.first == ["title": "4-2", "pages": 1])
        #expect(try json(second).members["previousCursor"]?.text != nil)
        for cursor in ["", "x", String(next.dropLast()), next + "A"] {
            try expect(
                .invalidCursor, try await library.respond(.get, "/shelves/4?cursor=\(cursor)"))
        }
    }

    // MARK: Bodies

    private func add(_ body: String, type: String = "application/json") async throws -> Response {
        try await library.respond(.post, "/books", [.contentType: type], body)
    }

    @Test("reads a JSON body into values")
    func bodies() async throws {
        let response = try await add(#"{"books": [{"title": "Emma", "pages": 474}]}"#)
        #expect(response.status == .ok)
        #expect(try json(response).members["books"] == [["title": "Emma", "pages": 474]])
        #expect(response.headerFields[.cacheControl] == "no-store", "as the route says")
    }

    @Test("says what is wrong with a body: its type, its syntax, or each of its members")
    func faults() async throws {
        try expect(.unsupportedMediaType, try await add("{}", type: "text/plain"))
        try expect(.malformedDocument, try await add("{"), "at byte")
        let errors = try expect(
            .invalidMembers,
            try await add(#"{"books": [{"title": ""}, {"pages": 0, "title": 1, "x": 2}], "y": 3}"#))
        #expect(
            errors.elements.compactMap { $0.members["pointer"]?.text } == [
                "/books/0/title", "/books/0/pages", "/books/1/title", "/books/1/pages",
                "/books/1/x", "/y",
            ])
        let many = try expect(
            .invalidMembers, try await add(#"{"books": [{}, {}, {}]}"#))
        #expect(
            many.elements.first?.members["detail"]
                == "This must have at most 2 elements; this has 3.")
    }

    // MARK: Conditions

    private func replace(_ match: String?, as reader: String? = "Ada") async throws -> Response {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.ifMatch] = match
        fields[.authorization] = reader
        return try await library.respond(
            .put, "/shelves/4/book", fields, #"{"title": "Emma", "pages": 474}"#)
    }

    @Test("replaces only the version that the request names")
    func conditions() async throws {
        try expect(.preconditionRequired, try await replace(nil), "/shelves/4/book")
        try expect(.preconditionFailed, try await replace("\"other\""))
        let old = Response.json(
            Book(title: "Old", pages: 4), Book.representation, for: Library().addresses
        ).tag
        for match in ["*", old.description] {
            let response = try await replace(match)
            #expect(response.status == .ok)
            #expect(try json(response).members["title"] == "Emma for Ada")
            #expect(response.headerFields[.eTag] == response.tag.description)
        }
    }

    @Test("reads its inputs in order, so that the first fault decides")
    func order() async throws {
        try expect(.unauthorized, try await replace(nil, as: nil), "Show your card.")
    }

    @Test("responds without content, and caching is as declared")
    func empty() async throws {
        let response = try await library.respond(
            .delete, "/shelves/4/book", [.authorization: "Ada"])
        #expect(response.status == .noContent)
        #expect(response.body.isEmpty)
        let page = try await library.respond(.get, "/suggest")
        #expect(page.headerFields[.cacheControl] == "public, max-age=60")
    }

    @Test("of another method is named in Allow")
    func methods() async throws {
        let response = try await library.respond(.patch, "/books")
        try expect(.notImplemented, response)
        let known = try await library.respond(.delete, "/books")
        try expect(.methodNotAllowed, known)
        #expect(known.headerFields[.allow] == "GET, HEAD, OPTIONS, POST")
    }

    // MARK: Forms

    private func suggest(
        _ body: String, origin: String? = "https://library.example",
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> Response {
        var fields: HTTPFields = [.contentType: type]
        fields[.origin] = origin
        return try await library.respond(.post, "/suggest", fields, body)
    }

    @Test("of a form reads its fields as the members of a body")
    func forms() async throws {
        let response = try await suggest("token=ours&title=Emma&pages=474")
        #expect(response.status == .seeOther)
        #expect(response.headerFields[.location] == "/thanks?title=Emma")
    }

    @Test("of a form shows its page again, with what was typed and what is wrong")
    func wrongForms() async throws {
        for (body, status) in [
            ("token=ours&title=Emma&pages=0", HTTPResponse.Status.unprocessableContent),
            ("token=ours&title=Emma", .unprocessableContent), ("title=Emma&pages=1", .forbidden),
            ("token=theirs&title=Emma&pages=1", .forbidden),
        ] {
            let response = try await suggest(body)
            #expect(response.status == status, "\(body)")
            #expect(response.headerFields[.cacheControl] == "no-store")
            #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("Emma: "))
        }
    }

    @Test("of a form accepts only what our own pages send")
    func foreignForms() async throws {
        let body = "token=ours&title=Emma&pages=474"
        for origin in ["https://other.example", "null", nil] {
            try expect(.forbidden, try await suggest(body, origin: origin), "another site")
        }
        try expect(.unsupportedMediaType, try await suggest(body, type: "text/plain"))
        try expect(.unsupportedMediaType, try await suggest(body, type: "multipart/form-data"))
    }

    // MARK: What follows from a declaration

    @Test("says who may call it, and where it is declared")
    func declarations() throws {
        let routes = Library.routes.filter { $0.signIn == .required }
        #expect(routes.map(\.pattern) == ["/shelves/{shelf}/book", "/shelves/{shelf}/book"])
        #expect(routes.map(\.access) == [.scope("books:write"), .session])
        #expect(routes.allSatisfy { $0.crawling == .disallowed })
        #expect(Set(Library.routes.map(\.file)) == ["EndpointsTests/Library.swift"])
    }

    @Test("checks who calls it before a large body is read, and reads nothing else")
    func admission() async throws {
        let route = try #require(Library.routes.first { $0.method == .put })
        func context(_ card: String?) throws -> RequestContext<Library> {
            var fields: HTTPFields = [:]
            fields[.authorization] = card
            return try RequestContext(
                Request(method: .put, target: "/shelves/x/book", headerFields: fields),
                id: RequestID(), parameters: PathParameters(), services: library, client: .local,
                visitor: nil, language: .en, allowance: nil)
        }
        try await route.admit(context("Ada"))
        let stranger = try context(nil)
        await #expect(throws: Problem.self) { try await route.admit(stranger) }
    }
}
