import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import JSON
import Logging
import Sockets

/// One request on its way through a handler.
struct Call: Sendable {
    let request: Request
    let services: Services
    let id: RequestID
    /// Where it came from.
    let client: ClientAddress
    /// Who is signed in with the browser; always `nil` for the API, which takes tokens only.
    let visitor: Visitor?
    /// What is counted of requests to the API.
    let allowance: Allowance?
    private let parameters: PathParameters
    let query: FormItems

    /// - Throws: 400 for a query that cannot be read.
    init(
        _ request: Request, id: RequestID, parameters: PathParameters, services: Services,
        client: ClientAddress, visitor: Visitor?, allowance: Allowance?
    ) throws(RequestError) {
        self.request = request
        self.id = id
        self.parameters = parameters
        self.services = services
        self.client = client
        self.visitor = visitor
        self.allowance = allowance
        query = try request.target.queryItems()
    }

    /// Checks that the query says nothing twice, of which only one thing would be heard.
    ///
    /// - Throws: 400 if it does.
    func checkNamesOnce() throws(Problem) {
        for name in query.names where query.values(name).count > 1 {
            throw .badRequest("\"\(name.prefix(40))\" is in the query more than once.")
        }
    }

    /// Names the request in what it says.
    var logger: Logger { id.naming(services.logger) }

    // MARK: Path

    /// The value of a path parameter.
    ///
    /// - Throws: 404 if it cannot be read: there is nothing at such an address.
    func path<Value>(_ key: PathKey<Value>) throws(Problem) -> Value {
        guard let value = parameters[key.name].flatMap(key.parse) else {
            throw .notFound("There is no such \(key.name).")
        }
        return value
    }

    // MARK: Query

    /// A number of the query.
    ///
    /// - Throws: 400 if it is no number or out of range.
    func query(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = query[name] else { return nil }
        guard text.utf8.count <= 10, let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// How many things are asked for: from 1 to 100, 20 if the query does not say.
    ///
    /// - Throws: 400 if it is no number or out of range.
    func limit() throws(Problem) -> Int { try query("limit", in: 1...100) ?? 20 }

    /// What is searched for; `nil` if nothing is.
    ///
    /// - Throws: 400 if it is too long.
    func searchText(_ name: String = "search") throws(Problem) -> SearchText? {
        guard let text = query[name], text.contains(where: { !$0.isWhitespace }) else { return nil }
        guard let search = SearchText(text) else {
            throw .badRequest(
                "\"\(name)\" must have 1 to \(SearchText.limit) characters.")
        }
        return search
    }

    /// Numbers separated by commas.
    ///
    /// - Parameter mayHaveSpaces: Whether there may be spaces around each.
    /// - Throws: 400 if they are not, or too many.
    func ids(_ name: String = "ids", mayHaveSpaces: Bool = false) throws(Problem) -> [Int]? {
        guard let text = query[name] else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let spaces = mayHaveSpaces ? CharacterSet(charactersIn: " ") : CharacterSet()
        let ids = parts.compactMap { GameID.parse($0.trimmingCharacters(in: spaces)) }
        guard ids.count == parts.count, ids.count <= Self.maximumIDs else {
            throw .badRequest(
                "\"\(name)\" must be 1 to \(Self.maximumIDs) numbers separated by commas.")
        }
        return ids
    }

    private static let maximumIDs = 100

    // MARK: Who

    /// The user whose bearer token came with the request.
    ///
    /// - Throws: 401 if there is no valid one.
    func user() async throws -> User { try await bearer().user }

    /// Who the request's bearer token speaks for; RFC 6750 section 2.1.
    ///
    /// - Throws: 401 if there is no valid one, 429 if its user has asked for too much.
    func bearer() async throws -> Bearer {
        guard let field = request.headerFields[.authorization] else {
            throw Problem.unauthorized(hadToken: false)
        }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem.unauthorized(hadToken: false)
        }
        guard let bearer = try await services.authenticator.bearer(token: String(parts[1])) else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(bearer.user.id))
        return bearer
    }

    // MARK: Conditions

    /// Whether what is changed must be what the client knows.
    var isConditional: Bool {
        request.headerFields[.ifMatch] != nil || request.headerFields[.ifNoneMatch] != nil
    }

    /// Checks the request's conditions before something is changed, in the change's transaction.
    ///
    /// - Parameter current: What reading would answer now; made only for a request with conditions.
    /// - Throws: 412 if they are not met, 400 if they cannot be read.
    func check(_ current: @autoclosure () throws -> Response) throws {
        guard isConditional else { return }
        let conditions = Preconditions(method: request.method, headerFields: request.headerFields)
        guard try conditions.evaluate(entityTag: current().tag) == .proceed else {
            throw Problem(
                .preconditionFailed,
                "It has changed meanwhile. Read it again, and repeat the change.")
        }
    }

    // MARK: Body

    /// The body as JSON.
    ///
    /// - Throws: 415 if it says to be something else, 400 if it is not JSON.
    func json() throws(Problem) -> JSONValue {
        let type = request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .json) else {
            throw Problem(
                .unsupportedMediaType, "The body must be JSON, with Content-Type: application/json."
            )
        }
        do throws(JSONSyntaxError) {
            return try JSONParser.parse(request.body)
        } catch {
            throw Problem(
                .malformedDocument,
                "The body is not valid JSON: at byte \(error.offset), \(error.reason).")
        }
    }
}

/// A parameter of a path and how it is read.
struct PathKey<Value>: Sendable {
    let name: String
    let parse: @Sendable (String) -> Value?
}

extension PathKey where Value == PlatformReference {
    static var platform: Self { Self(name: "platform") { PlatformReference($0) } }
}

extension PathKey where Value == Int {
    static var game: Self { Self(name: "game") { GameID.parse($0) } }
}

extension PathKey where Value == Username {
    static var username: Self { Self(name: "username") { Username($0) } }
}

extension PathKey where Value == String {
    static var asset: Self { Self(name: "asset") { $0 } }
    static var provider: Self { Self(name: "provider") { $0 } }

    /// The digest of a card in the name of its file.
    static var card: Self {
        Self(name: "card") { file in
            file.hasSuffix(".png") && file.utf8.count <= 64 ? String(file.dropLast(4)) : nil
        }
    }
}

extension PathKey where Value == UUID {
    static var entry: Self { Self(name: "entry") { UUID(uuidString: $0) } }
    static var identity: Self { Self(name: "identity") { UUID(uuidString: $0) } }
}

extension PathKey where Value == ProblemKind {
    static var problemKind: Self { Self(name: "kind") { ProblemKind(rawValue: $0) } }
}
