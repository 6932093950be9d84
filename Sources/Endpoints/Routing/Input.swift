package import HTTP
package import HTTPTypes

/// Something that a route reads from a request: how it is read, and how the API's description
/// describes it.
///
/// A route's inputs are read in the order of their declaration. The first one that can't be read
/// decides the response.
package struct Input<Services: Application, Value: Sendable>: Sendable {
    package typealias Context = RequestContext<Services>

    package let description: InputDescription
    /// Throws the error to respond with if the input can't be read.
    package let read: @Sendable (Context) async throws -> Value
    /// Checks what the head of a request tells, before its large body is read. Throws as `read`.
    package let admit: @Sendable (Context) async throws -> Void

    /// - Parameters:
    ///   - admit: Checks the head of a request. By default, this is whether someone is signed in.
    ///   - read: Throws the error to respond with if the input can't be read.
    package init(
        _ description: InputDescription = InputDescription(),
        admit: (@Sendable (Context) async throws -> Void)? = nil,
        read: @escaping @Sendable (Context) async throws -> Value
    ) {
        self.description = description
        self.read = read
        let isSignIn = description.signIn == .required && description.body == nil
        self.admit = admit ?? { if isSignIn { _ = try await read($0) } }
    }
}

/// The API's description of an input.
package struct InputDescription: Sendable {
    package var parameters: [Parameter] = []
    package var body: Body?
    /// The problems that reading the input may cause.
    package var problems: [ProblemKind] = []
    package var signIn = SignIn.notNeeded
    /// What the token must allow, if the input reads one.
    package var access: RequiredAccess?
    /// Whether a request must contain a secret that browsers don't add automatically: a token, but no cookie.
    package var hasCredential: Bool
    /// The only ones who may use the route, in the application's words; `nil` if `signIn` says enough.
    package var audience: String?
    /// The header fields that the input adds to a successful response.
    package var responseFields: [HTTPField.Name] = []

    package init(
        parameters: [Parameter] = [], body: Body? = nil, problems: [ProblemKind] = [],
        signIn: SignIn = .notNeeded, access: RequiredAccess? = nil, audience: String? = nil,
        responseFields: [HTTPField.Name] = []
    ) {
        self.parameters = parameters
        self.body = body
        self.problems = problems
        self.signIn = signIn
        self.access = access
        hasCredential = access != nil && signIn == .required
        self.audience = audience
        self.responseFields = responseFields
    }

    /// The descriptions of several inputs together.
    package init(_ parts: [InputDescription]) {
        self.init(
            parameters: parts.flatMap(\.parameters), body: parts.lazy.compactMap(\.body).first,
            problems: parts.flatMap(\.problems), signIn: parts.map(\.signIn).max() ?? .notNeeded,
            access: parts.lazy.compactMap(\.access).first,
            audience: parts.lazy.compactMap(\.audience).first,
            responseFields: parts.flatMap(\.responseFields))
        hasCredential = parts.contains { $0.hasCredential }
    }

    package struct Parameter: Sendable {
        package enum Place: String, Sendable {
            case path, query, header
        }

        package let name: String
        package let place: Place
        package let description: String
        package let schema: Schema
        package var isRequired = false
        /// What a request costs more that has the parameter.
        package var surcharge = Cost.nothing

        package init(
            name: String, place: Place, description: String, schema: Schema,
            isRequired: Bool = false, surcharge: Cost = .nothing
        ) {
            self.name = name
            self.place = place
            self.description = description
            self.schema = schema
            self.isRequired = isRequired
            self.surcharge = surcharge
        }
    }

    package struct Body: Sendable {
        package let schema: Schema
        package var description: String?
        package let isRequired: Bool
        package var type = MediaType.json
        /// The most bytes, if that is more than other bodies may have.
        package var limit: Int?
        /// The fields of a page's form that may be shown again.
        package var fields: [FormFieldKind] = []

        package init(
            schema: Schema, description: String? = nil, isRequired: Bool,
            type: MediaType = .json, limit: Int? = nil, fields: [FormFieldKind] = []
        ) {
            self.schema = schema
            self.description = description
            self.isRequired = isRequired
            self.type = type
            self.limit = limit
            self.fields = fields
        }
    }
}

/// Whether someone must be signed in to use a route: with a token for the API, with a session for pages.
package enum SignIn: Int, Comparable, Sendable {
    case notNeeded
    /// A request with a token may see more.
    case optional
    case required

    package static func < (one: SignIn, other: SignIn) -> Bool { one.rawValue < other.rawValue }
}

/// What a token must allow. The access tokens of a user's own session, and those of other issuers, allow
/// everything.
package enum RequiredAccess: Hashable, Sendable {
    /// A personal token, or an app's, must have this scope.
    case scope(String)
    /// No personal token is enough, and no app's.
    case session
}
