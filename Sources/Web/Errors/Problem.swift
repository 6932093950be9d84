import HTTP
import HTTPTypes

/// An error as a client sees it: a problem document (RFC 9457) or a page.
struct Problem: Error, Sendable {
    let kind: ProblemKind
    /// What happened and what to do about it, safe for anyone to read.
    let detail: String
    var errors: [MemberError] = []
    var headerFields = HTTPFields()

    init(_ kind: ProblemKind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    var status: HTTPResponse.Status { kind.status }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }

    static func invalidMembers(_ errors: [MemberError]) -> Problem {
        var problem = Problem(
            .invalidMembers,
            "Some members of the document are not valid; \"errors\" says which and why.")
        problem.errors = errors
        return problem
    }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "This address only supports \(list).")
        problem.headerFields[.allow] = list
        return problem
    }

    /// RFC 6750 section 3. The answer does not give the reason, which would only help an attacker.
    ///
    /// - Parameter hadToken: Whether a token was sent and rejected.
    static func unauthorized(hadToken: Bool) -> Problem {
        guard hadToken else {
            return unauthorized("This needs a bearer token in the Authorization field.")
        }
        return unauthorized(
            "The bearer token is not valid, or has expired.", error: "invalid_token")
    }

    /// RFC 9110 section 15.5.2: the answer must say how to authenticate.
    static func unauthorized(_ detail: String, error: String? = nil) -> Problem {
        var problem = Problem(error == nil ? .unauthorized : .invalidToken, detail)
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"fave-games\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return problem
    }

    /// RFC 6750 section 3.1: a valid token that does not allow the request.
    ///
    /// - Parameter scope: The scope that would; `nil` if no personal token can do it.
    static func insufficientScope(_ detail: String, scope: String? = nil) -> Problem {
        var problem = Problem(.insufficientScope, detail)
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"fave-games\", error=\"insufficient_scope\""
            + (scope.map { ", scope=\"\($0)\"" } ?? "")
        return problem
    }

    static let forModerators = Problem(.forbidden, "This is for the site’s moderators only.")

    /// For problems that pass by themselves.
    static func unavailable(_ detail: String, retryAfter seconds: Int = 1) -> Problem {
        var problem = Problem(.unavailable, detail)
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }
}
