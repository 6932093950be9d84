import HTTP
package import HTTPTypes
package import Languages

/// An error as a client sees it: a problem document (RFC 9457) or a page.
package struct Problem: Error, Sendable {
    package let kind: ProblemKind
    /// What happened and what to do about it, safe for anyone to read.
    package var detail: Words
    package var errors: [MemberError] = []
    /// The scope that the client's token lacks.
    package var scope: String?
    /// The name of the parameter, of the query or of the header field, that is wrong.
    package var parameter: String?
    package var headerFields = HTTPFields()

    package init(_ kind: ProblemKind, _ detail: Words) {
        self.kind = kind
        self.detail = detail
    }

    package var status: HTTPResponse.Status { kind.status }

    package static func notFound(_ detail: Words) -> Problem { Problem(.notFound, detail) }

    package static func badRequest(_ detail: Words) -> Problem { Problem(.badRequest, detail) }

    /// - Parameters:
    ///   - name: The parameter's, of the query or of the header field.
    ///   - rule: A predicate: "must be …"; a whole sentence with the name if it begins with a capital.
    package static func invalidParameter(_ name: String, _ rule: String) -> Problem {
        let isSentence = rule.first?.isUppercase == true
        var problem = Problem(
            .invalidParameter, .english(isSentence ? rule : "\"\(name)\" \(rule)."))
        problem.parameter = name
        return problem
    }

    package static func invalidMembers(_ errors: [MemberError]) -> Problem {
        var problem = Problem(
            .invalidMembers,
            .english("Some members of the document are not valid; \"errors\" says which and why."))
        problem.errors = errors
        return problem
    }

    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, .english("This address only supports \(list)."))
        problem.headerFields[.allow] = list
        return problem
    }

    /// - Parameter message: The operator's.
    package static func maintenance(_ message: String) -> Problem {
        var problem = Problem(.maintenance, Words(name: message))
        problem.headerFields[.retryAfter] = "60"
        return problem
    }

    /// For problems that pass by themselves.
    package static func unavailable(_ detail: Words, retryAfter seconds: Int = 1) -> Problem {
        var problem = Problem(.unavailable, detail)
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }
}
