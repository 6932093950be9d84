import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

extension RequiredAccess {
    static let read = RequiredAccess.scope(TokenScope.read.rawValue)
    static let writeList = RequiredAccess.scope(TokenScope.writeList.rawValue)
    static let account = RequiredAccess.scope(TokenScope.account.rawValue)

    /// - Parameter scopes: What a personal token or an app may do; `nil` for everything.
    /// - Throws: 403 if the token does not allow it: RFC 6750 section 3.1.
    fileprivate func check(_ scopes: Set<TokenScope>?) throws(Problem) {
        guard let scopes else { return }
        switch self {
        case .scope(let scope) where scopes.contains { $0.rawValue == scope }: return
        case .scope(let scope):
            throw .insufficientScope(
                .english(
                    "This token lacks the scope \"\(scope)\". Create a token with it, or ask for it."
                ),
                scope: scope)
        case .session:
            throw .insufficientScope(
                .english(
                    "Personal tokens and apps can't do this. Sign in, and use the session's access token."
                )
            )
        }
    }
}

private let moderators = "moderators"

extension InputDescription {
    /// An input that reads a token.
    fileprivate static func token(
        _ access: RequiredAccess, _ signIn: SignIn = .required, audience: String? = nil,
        problems: [ProblemKind] = []
    ) -> InputDescription {
        InputDescription(
            problems: [.unauthorized, .invalidToken, .insufficientScope] + problems,
            signIn: signIn, access: access, audience: audience)
    }
}

extension Input<Services, Bearer> {
    /// The bearer token that a request to the API must have, and what it says: RFC 6750 section
    /// 2.1. 401 if there is no valid token, 403 if it does not allow this, 429 if its user has sent
    /// too many requests.
    static func bearer(_ access: RequiredAccess) -> Self {
        Self(.token(access)) { try await $0.bearer(access) }
    }
}

extension Input<Services, User> {
    /// The user whose bearer token a request to the API must have.
    static func user(_ access: RequiredAccess) -> Self {
        Self(.token(access)) { try await $0.bearer(access).user }
    }

    /// The moderator whose session's access token a request to the API must have. The statements
    /// that change something check the role again. 403 for everyone else.
    static var moderator: Self {
        let description = InputDescription.token(
            .session, audience: moderators, problems: [.moderatorsOnly, .forbidden])
        return Self(description) { context in
            let user = try await context.bearer(.session).user
            guard user.role.mayModerate else { throw Problem.forModerators }
            return user
        }
    }
}

extension Input<Services, FaveList> {
    /// The list of the user whose bearer token a request to the API must have. It is read together
    /// with the user.
    static func ownList(_ access: RequiredAccess) -> Self {
        Self(.token(access)) { try await $0.ownList(access) }
    }
}

extension Input<Services, TokenViewer> {
    /// The user whose token a request may have, for data that not everyone may see.
    static var viewer: Self { Self(.token(.read, .optional)) { TokenViewer(context: $0) } }
}

extension Input<Services, Visitor> {
    /// The visitor, who must be signed in with the browser, or is sent to sign in.
    static var visitor: Self { visitor(returnPath: nil) }

    /// - Parameter path: The path to return to after signing in.
    static func visitor(returningTo path: String) -> Self { visitor(returnPath: path) }

    private static func visitor(returnPath: String?) -> Self {
        Self(InputDescription(signIn: .required)) { try $0.signedInVisitor(returnPath: returnPath) }
    }

    /// The moderator who is signed in with the browser. 403 for everyone else.
    ///
    /// - Parameter path: The path to return to after signing in; the request's own if `nil`.
    static func moderatingVisitor(returningTo path: String? = nil) -> Self {
        Self(InputDescription(signIn: .required, audience: moderators)) { context in
            let visitor = try context.signedInVisitor(returnPath: path)
            guard visitor.user.role.mayModerate else { throw Problem.forModerators }
            return visitor
        }
    }
}

/// A user whose token is checked only when it matters.
struct TokenViewer: Sendable {
    fileprivate let context: RequestContext

    /// - Returns: `nil` if there is no token.
    /// - Throws: 401 if the token is not valid.
    func id() async throws -> UUID? { try await user()?.id }

    /// As `id`.
    func user() async throws -> User? {
        guard context.request.contains(.authorization) else { return nil }
        return try await context.bearer(.read).user
    }
}

extension RequestContext {
    /// The user whose token a request has, where nothing depends on it but whose turn it is.
    ///
    /// - Returns: `nil` if there is no valid token, or its user has used up their limit.
    func bearerID() async -> UUID? {
        guard request.contains(.authorization) else { return nil }
        return try? await bearer(.read, makesUser: false).user.id
    }

    /// Looks up the user of the request's token, if any, so that the store reads for them.
    ///
    /// - Parameter mustBeValid: Whether an invalid token is an error, so that a program notices that its user
    ///   has been signed out. Other credentials than a
    ///   bearer's are for a proxy, and ignored.
    func recogniseToken(mustBeValid: Bool) async throws {
        guard let field = request.headerFields[.authorization] else { return }
        let token = try? bearerToken()
        if let token,
            try await services.authenticator.bearer(token: token, makesUser: false) != nil
        {
            return
        }
        let isBearer = field.prefix { $0 != " " }.lowercased() == "bearer"
        guard mustBeValid, isBearer else { return }
        if let token, try await services.authenticator.isOfStranger(token) { return }
        throw Problem.unauthorized(hadToken: true)
    }

    /// The owner of the request's key: the token's user, whatever the token allows.
    ///
    /// - Returns: `nil` if the route or the request has no token.
    /// - Throws: 401 if the token is not valid.
    func keyOwner(_ signIn: SignIn) async throws -> UUID? {
        guard signIn != .notNeeded, request.contains(.authorization) else { return nil }
        let bearer = try await services.authenticator.bearer(
            token: bearerToken(), makesUser: mayMakeUsers)
        guard let bearer else { throw Problem.unauthorized(hadToken: true) }
        return bearer.user.id
    }

    /// - Parameter makesUser: Whether a new subject of a trusted issuer gets a user, if people may do more
    ///   than read.
    fileprivate func bearer(
        _ access: RequiredAccess, makesUser: Bool = true
    ) async throws -> Bearer {
        let token = try bearerToken()
        guard
            let bearer = try await services.authenticator.bearer(
                token: token, makesUser: makesUser && mayMakeUsers)
        else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(bearer.user.id))
        try access.check(bearer.scopes)
        return bearer
    }

    fileprivate func ownList(_ access: RequiredAccess) async throws -> FaveList {
        let token = try bearerToken()
        guard
            let (list, scopes) = try await services.authenticator.list(
                token: token, makesUser: mayMakeUsers)
        else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(list.owner.id))
        try access.check(scopes)
        return list
    }

    private var mayMakeUsers: Bool { services.health.maintenance.message == nil }

    private func bearerToken() throws(Problem) -> String {
        guard let field = request.headerFields[.authorization] else {
            throw .unauthorized(hadToken: false)
        }
        // By bytes, since a token is long.
        let parts = field.utf8.split(separator: UInt8(ascii: " ")).map(Substring.init)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw .unauthorized(hadToken: false)
        }
        return String(parts[1])
    }
}
