import Endpoints
import HTTPTypes
import Languages
import Views

// Why someone may not do what they asked for.
extension Problem {
    /// RFC 6750 section 3. The response does not give the reason, which would only help an attacker.
    ///
    /// - Parameter hadToken: Whether a token was sent and rejected.
    static func unauthorized(hadToken: Bool) -> Problem {
        guard hadToken else {
            return unauthorized(.english("This needs a bearer token in the Authorization field."))
        }
        return unauthorized(
            .english("The bearer token is not valid, or has expired."), error: "invalid_token")
    }

    /// RFC 9110 section 15.5.2: the response must say how to authenticate.
    ///
    /// - Parameter kind: One with the status 401; by default, of a token that is there or not.
    static func unauthorized(
        _ detail: Words, error: String? = nil, _ kind: ProblemKind? = nil
    ) -> Problem {
        var problem = Problem(kind ?? (error == nil ? .unauthorized : .invalidToken), detail)
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"fave-games\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return problem
    }

    /// RFC 6750 section 3.1: a valid token that does not allow the request.
    ///
    /// - Parameter scope: The scope that would; `nil` if no personal token can do it.
    static func insufficientScope(_ detail: Words, scope: String? = nil) -> Problem {
        var problem = Problem(.insufficientScope, detail)
        problem.scope = scope
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"fave-games\", error=\"insufficient_scope\""
            + (scope.map { ", scope=\"\($0)\"" } ?? "")
        return problem
    }

    static let forModerators = Problem(.moderatorsOnly, .moderatorsOnly)
}
