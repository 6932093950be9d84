import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity

/// What a token must allow. The access tokens of a session, and those of other issuers, allow
/// everything.
enum RequiredAccess: Hashable, Sendable {
    /// A personal token must have this scope.
    case scope(TokenScope)
    /// No personal token is enough.
    case session

    static let read = RequiredAccess.scope(.read)
    static let writeList = RequiredAccess.scope(.writeList)
    static let account = RequiredAccess.scope(.account)

    /// - Parameter scopes: A personal token's; `nil` for an access token.
    /// - Throws: 403 if the token does not allow it: RFC 6750 section 3.1.
    fileprivate func check(_ scopes: Set<TokenScope>?) throws(Problem) {
        guard let scopes else { return }
        switch self {
        case .scope(let scope) where scopes.contains(scope): return
        case .scope(let scope):
            throw .insufficientScope(
                "This personal token doesn't have the scope \"\(scope.rawValue)\". Make one that has.",
                scope: scope.rawValue)
        case .session:
            throw .insufficientScope(
                "Personal tokens can't do this. Sign in, and use the session's access token.")
        }
    }
}

/// The bearer token that a request to the API must have, and what it says: RFC 6750 section 2.1.
struct BearerInput: Input {
    let access: RequiredAccess

    /// - Throws: 401 if there is no valid token, 403 if it does not allow this, 429 if its user has
    ///   sent too many requests.
    func read(_ call: Call) async throws -> Bearer { try await call.bearer(access) }

    var description: InputDescription {
        InputDescription(
            problems: [.unauthorized, .invalidToken, .insufficientScope, .forbidden],
            caller: .user, access: access)
    }
}

/// The user whose bearer token a request to the API must have.
struct UserInput: Input {
    fileprivate let bearer: BearerInput

    func read(_ call: Call) async throws -> User { try await bearer.read(call).user }

    var description: InputDescription { bearer.description }
}

/// The list of the user whose bearer token a request to the API must have. It is read together with
/// the user.
struct OwnListInput: Input {
    let access: RequiredAccess

    func read(_ call: Call) async throws -> FaveList { try await call.ownList(access) }

    var description: InputDescription { BearerInput(access: access).description }
}

/// The user whose token a request may have, for data that not everyone may see.
struct ViewerInput: Input {
    func read(_ call: Call) -> PossibleUser { PossibleUser(call: call) }

    var description: InputDescription {
        InputDescription(
            problems: [.unauthorized, .invalidToken, .insufficientScope, .forbidden],
            caller: .perhapsUser, access: .read)
    }
}

/// A user whose token is checked only when it matters: an expired token must not keep anyone from
/// what everyone may see.
struct PossibleUser: Sendable {
    fileprivate let call: Call

    /// - Returns: `nil` if there is no token.
    /// - Throws: 401 if the token is not valid.
    func id() async throws -> UUID? { try await user()?.id }

    /// As `id`.
    func user() async throws -> User? {
        guard call.request.contains(.authorization) else { return nil }
        return try await call.bearer(.read).user
    }
}

/// The moderator whose session's access token a request to the API must have. The statements that
/// change something check the role again.
struct ModeratorInput: Input {
    private let user = UserInput(bearer: BearerInput(access: .session))

    /// - Throws: As `BearerInput`, and 403 for members.
    func read(_ call: Call) async throws -> User {
        let user = try await user.read(call)
        guard user.role.mayModerate else { throw Problem.forModerators }
        return user
    }

    var description: InputDescription {
        var description = user.description
        description.isForModerators = true
        return description
    }
}

/// The moderator who is signed in with the browser.
struct ModeratingVisitorInput: Input {
    fileprivate let visitor: VisitorInput

    /// - Throws: As `VisitorInput`, and 403 for members.
    func read(_ call: Call) throws -> Visitor {
        let visitor = try visitor.read(call)
        guard visitor.user.role.mayModerate else { throw Problem.forModerators }
        return visitor
    }

    var description: InputDescription {
        var description = visitor.description
        description.isForModerators = true
        return description
    }
}

/// The visitor, who must be signed in with the browser.
struct VisitorInput: Input {
    /// The path to return to after signing in; the request's own if `nil`.
    let returnPath: String?

    /// - Throws: `SignInRequired` if no one is signed in.
    func read(_ call: Call) throws(SignInRequired) -> Visitor {
        try call.member(returnPath: returnPath)
    }

    var description: InputDescription { InputDescription(caller: .user) }
}

extension Input where Self == BearerInput {
    static func bearer(_ access: RequiredAccess) -> Self { Self(access: access) }
}

extension Input where Self == UserInput {
    static func user(_ access: RequiredAccess) -> Self {
        Self(bearer: BearerInput(access: access))
    }
}

extension Input where Self == OwnListInput {
    static func ownList(_ access: RequiredAccess) -> Self { Self(access: access) }
}

extension Input where Self == ViewerInput {
    static var viewer: Self { Self() }
}

extension Input where Self == ModeratorInput {
    static var moderator: Self { Self() }
}

extension Input where Self == ModeratingVisitorInput {
    static func moderatingVisitor(returningTo path: String? = nil) -> Self {
        Self(visitor: VisitorInput(returnPath: path))
    }
}

extension Input where Self == VisitorInput {
    static var visitor: Self { Self(returnPath: nil) }

    static func visitor(returningTo path: String) -> Self { Self(returnPath: path) }
}

extension Call {
    /// The user whose token a request has, where nothing depends on it but whose turn it is.
    ///
    /// - Returns: `nil` if there is no valid token, or its user has used up their limit.
    func tokenUser() async -> UUID? {
        guard request.contains(.authorization) else { return nil }
        return try? await bearer(.read, makesUser: false).user.id
    }

    /// - Parameter makesUser: Whether a new subject of a trusted issuer gets a user.
    fileprivate func bearer(
        _ access: RequiredAccess, makesUser: Bool = true
    ) async throws -> Bearer {
        let token = try bearerToken()
        guard
            let bearer = try await services.authenticator.bearer(
                token: token, makesUser: makesUser)
        else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(bearer.user.id))
        try access.check(bearer.scopes)
        return bearer
    }

    fileprivate func ownList(_ access: RequiredAccess) async throws -> FaveList {
        let token = try bearerToken()
        guard let (list, scopes) = try await services.authenticator.list(token: token) else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(list.owner.id))
        try access.check(scopes)
        return list
    }

    private func bearerToken() throws(Problem) -> String {
        guard let field = request.headerFields[.authorization] else {
            throw .unauthorized(hadToken: false)
        }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw .unauthorized(hadToken: false)
        }
        return String(parts[1])
    }
}
