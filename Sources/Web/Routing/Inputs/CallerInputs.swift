import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity

/// The bearer token that a request to the API must have, and what it says: RFC 6750 section 2.1.
struct BearerInput: Input {
    /// - Throws: 401 if there is no valid token, 429 if its user has sent too many requests.
    func read(_ call: Call) async throws -> Bearer { try await call.bearer() }

    var description: InputDescription {
        InputDescription(
            problems: [.unauthorized, .invalidToken, .forbidden], caller: .user)
    }
}

/// The user whose bearer token a request to the API must have.
struct UserInput: Input {
    private let bearer = BearerInput()

    func read(_ call: Call) async throws -> User { try await bearer.read(call).user }

    var description: InputDescription { bearer.description }
}

/// The list of the user whose bearer token a request to the API must have. It is read together with
/// the user.
struct OwnListInput: Input {
    func read(_ call: Call) async throws -> FaveList { try await call.ownList() }

    var description: InputDescription { BearerInput().description }
}

/// The user whose token a request may have, for data that not everyone may see.
struct ViewerInput: Input {
    func read(_ call: Call) -> PossibleUser { PossibleUser(call: call) }

    var description: InputDescription {
        InputDescription(
            problems: [.unauthorized, .invalidToken, .forbidden], caller: .perhapsUser)
    }
}

/// A user whose token is checked only when it matters: an expired token must not keep anyone from
/// what everyone may see.
struct PossibleUser: Sendable {
    fileprivate let call: Call

    /// - Returns: `nil` if there is no token.
    /// - Throws: 401 if the token is not valid.
    func id() async throws -> UUID? {
        guard call.request.contains(.authorization) else { return nil }
        return try await call.bearer().user.id
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
    static var bearer: Self { Self() }
}

extension Input where Self == UserInput {
    static var user: Self { Self() }
}

extension Input where Self == OwnListInput {
    static var ownList: Self { Self() }
}

extension Input where Self == ViewerInput {
    static var viewer: Self { Self() }
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
        return try? await bearer().user.id
    }

    fileprivate func bearer() async throws -> Bearer {
        let token = try bearerToken()
        guard let bearer = try await services.authenticator.bearer(token: token) else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(bearer.user.id))
        return bearer
    }

    fileprivate func ownList() async throws -> FaveList {
        let token = try bearerToken()
        guard let list = try await services.authenticator.list(token: token) else {
            throw Problem.unauthorized(hadToken: true)
        }
        try allowance?.charge(.user(list.owner.id))
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
