import Crypto
import Endpoints
import Foundation
import HTTP
import HTTPTypes
import JSON
import Languages
import Logging
import Sockets

/// A small application: shelves of books, of which it only says what it was asked for.
struct Library: Application {
    struct Visitor: Sendable { let name: String }

    let addresses = SiteAddresses(
        publicURL: "https://library.example", pictures: "https://pictures.example/")
    let gzip = Gzip(level: 1)
    let logger = Logger(label: "library") { _ in SwiftLogNoOpLogHandler() }
    let cursorSeal = CursorSeal([
        CursorSeal.Key(
            encryption: SymmetricKey(data: key), nonces: HMAC(key: SymmetricKey(data: key)))
    ])

    private static let key = Array(repeating: UInt8(7), count: 32)

    static let pages = Dictionary(
        uniqueKeysWithValues: routes.filter { $0.kind == .page && $0.method == .get }
            .map { ($0.pattern, $0) })

    func checkFormToken(_ token: String?, of context: RequestContext<Library>) throws(Problem) {
        guard token == "ours" else { throw Problem(.forbidden, .english("This form has expired.")) }
    }

    func parseForm(
        _ body: [UInt8], type: MediaType, from client: ClientAddress
    ) async throws -> MultipartForm {
        try MultipartForm(parsing: body, type: type)
    }

    /// Says that it was called.
    static func carryOut(
        _ context: RequestContext<Library>, once key: IdempotencyKey, signIn: SignIn,
        _ handle: (RequestContext<Library>) async throws -> Response
    ) async throws -> Response {
        var response = try await handle(context)
        response.headerFields[.idempotencyReplayed] = key.text
        return response
    }

    func note(_ error: any Error, of context: RequestContext<Library>) {}

    func refusal(_ error: any Error, of form: FormItems) -> Problem? { error as? Problem }

    func failure(_ error: any Error, of context: RequestContext<Library>) -> Problem? { nil }
}

struct Book: Sendable, Equatable {
    let title: String
    let pages: Int

    static let representation = ObjectRepresentation<Book>(
        "Book", "Something to read.",
        [
            .init("title", .text(1...100, example: "Emma"), "What it is called.") { $0.title },
            .init("pages", .integer(1...5000, example: 474), "How long it is.") { $0.pages },
        ])
}

struct NewBook: RequestBody {
    let title: String
    let pages: Int

    init?(from reader: inout JSONObjectReader) {
        let title = reader.required(
            "title",
            .parsed(.text(1...100, example: "Emma"), .english("This must have a letter.")) {
                $0.isEmpty ? nil : $0
            },
            "What it is called.")
        let pages = reader.required("pages", .integer(1...5000, example: 474), "How long it is.")
        guard let title, let pages else { return nil }
        self.title = title
        self.pages = pages
    }

    var book: Book { Book(title: title, pages: pages) }
}

struct PageCursor: CursorCoding, Sendable, Equatable {
    static let letter = "p"
    let place: Int

    var text: String { Self.encode([Self.letter, String(place)]) }

    init(place: Int) { self.place = place }

    init?(text: String) {
        guard let fields = Self.decode(text, count: 2), fields[0] == Self.letter,
            let place = Int(fields[1])
        else { return nil }
        self.init(place: place)
    }
}

extension APIOperation.Tag {
    static let books = APIOperation.Tag("Books", "What the library has.")
}

extension Input where Value == Int {
    fileprivate static var shelf: Self {
        .path("shelf", "The shelf's number.", .integer(1...9, example: 4)) { text in
            Int(text).flatMap { (1...9).contains($0) ? $0 : nil }
        }
    }
}

extension Input<Library, Library.Visitor> {
    /// The reader's card, as a token.
    fileprivate static func reader(_ access: RequiredAccess) -> Self {
        Self(InputDescription(problems: [.unauthorized], signIn: .required, access: access)) {
            context in
            guard let name = context.request.headerFields[.authorization] else {
                throw Problem(.unauthorized, .english("Show your card."))
            }
            return Library.Visitor(name: name)
        }
    }
}

extension Library {
    private static let readers = RouteGroup<Library, Visitor>(
        "/shelves/{shelf}", for: .reader(.session))

    private static let title = Input<Library, String?>.query(
        "title", "Part of the title.", .text(0...20, example: "mm"), surcharge: .search
    ) { $0 }

    static let routes: [Route<Library>] = [
        Route(
            .get, "/shelves/{shelf}", .api("getShelf", .books, "Get the books of a shelf"),
            takes: .shelf, .limit, .cursor(PageCursor.self),
            returns: .page(
                "The books.", to: PageCursor.self,
                [.init("books", .array(of: Book.representation), "The books.") { $0 }])
        ) { _, shelf, limit, cursor in
            let begin = cursor?.place ?? 0
            let books = (begin..<begin + limit).map { Book(title: "\(shelf)-\($0)", pages: 1) }
            return CursorPage(
                page: books, next: PageCursor(place: begin + limit),
                previous: begin == 0 ? nil : PageCursor(place: begin - limit))
        },

        Route(
            .get, "/books", .api("findBooks", .books, "Find books"),
            takes: .first(
                .integer("number", in: 1...100, "The book's number.", example: 1),
                else: .group(
                    title,
                    .integer(
                        "pages", in: 1...5000, default: 100, "The length.", example: 474))),
            returns: .array("books", of: Book.representation, "What was found.", "The books.")
        ) { _, wanted in
            switch wanted {
            case .preferred(let number): [Book(title: "Number \(number)", pages: number)]
            case .other((let title, let pages)): [Book(title: title ?? "any", pages: pages)]
            }
        },

        Route(
            .put, "/shelves/{shelf}/book",
            .api("replaceBook", .books, "Replace a book", "The one that is lent most."),
            takes: .reader(.scope("books:write")), .shelf, .ifMatch(requiredFor: "/shelves/4/book"),
            .json(NewBook.self),
            returns: .changed(Book.representation), fails: [.conflict]
        ) { context, reader, shelf, conditions, new in
            try conditions.check(
                .json(Book(title: "Old", pages: shelf), Book.representation, for: context.addresses)
            )
            return Book(title: "\(new.title) for \(reader.name)", pages: new.pages)
        },

        readers.route(
            .delete, "/book", .api("removeBook", .books, "Remove a book"), takes: .shelf,
            returns: .noContent, costs: .units(3)
        ) { _, _, _ in },

        Route(
            .post, "/books", .api("addBooks", .books, "Add books"),
            takes: .array("books", of: NewBook.self, atMost: 2, "The books."),
            returns: .array("books", of: Book.representation, "The new books.", "The books."),
            caching: .never
        ) { _, new in new.map(\.book) },

        Route(.get, "/suggest", .page, returns: .response, caching: .everywhere(seconds: 60)) {
            context in
            let sent = context.sent.map {
                "\($0["title"] ?? ""): \($0.problem?.detail.string(in: .en) ?? "")"
            }
            return Response(
                headerFields: [.cacheControl: "no-cache"], body: Array((sent ?? "empty").utf8))
        },

        Route(
            .post, "/suggest", .page, takes: .form(NewBook.self), returns: .response
        ) { _, new in .seeOther("/thanks?title=\(new.title)") },
    ]

    static let router: Router<Route<Library>> = {
        var router = Router<Route<Library>>()
        for route in routes { router.add(route.method, route.pattern, route) }
        return router
    }()

    /// Responds as a server would: with a problem document if something is wrong.
    func respond(
        _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:],
        _ body: String = ""
    ) async throws -> Response {
        let request = try Request(
            method: method, target: target, headerFields: fields, body: Array(body.utf8))
        let id = RequestID()
        do {
            switch Self.router.match(method, request.target.segments) {
            case .found(let route, let parameters):
                let context = try RequestContext(
                    request, id: id, parameters: parameters, services: self, client: .local,
                    visitor: nil, language: .en, allowance: nil)
                return try await route.respond(context)
            case .methodNotAllowed(let allowed, _): throw Problem.methodNotAllowed(allowed)
            case .methodNotImplemented:
                throw Problem(.notImplemented, .english("No address has this method."))
            case .notFound: throw Problem.notFound(.english("There is nothing here."))
            }
        } catch let problem as Problem {
            return problem.response(for: addresses, requestID: id)
        }
    }

    static let openAPI = OpenAPI(
        information: ["title": "Library", "version": "1"], server: "https://library.example",
        tags: [.books],
        problems: [
            .badRequest, .malformedDocument, .invalidCursor, .unauthorized, .forbidden,
            .notFound.explained(detail: "There is no such shelf."), .methodNotAllowed,
            .requestTimeout, .conflict, .preconditionFailed, .preconditionRequired,
            .contentTooLarge, .addressTooLong, .unsupportedMediaType, .expectationFailed,
            .invalidMembers, .tooManyRequests, .headerTooLarge, .internalServerError,
            .notImplemented, .unavailable, .versionNotSupported,
        ], fields: fields, securitySchemes: [:])

    private static let fields: [HTTPField.Name: ResponseField] = {
        let names: [HTTPField.Name] = [
            .age, .allow, .cacheControl, .cacheStatus, .eTag, .idempotencyReplayed, .link,
            .location, .rateLimit,
            .rateLimitPolicy, .retryAfter, .vary, .wwwAuthenticate, .xRequestID,
        ]
        return Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, ResponseField("The field \($0.rawName).", .text(example: "x")))
            })
    }()
}
