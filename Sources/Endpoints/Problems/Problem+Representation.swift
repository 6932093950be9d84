package import HTTP
import HTTPTypes
package import JSON
import Languages

extension Problem {
    /// A problem as it occurred in one request.
    package struct Occurrence: Sendable {
        package let problem: Problem
        package let requestID: RequestID
    }

    /// The problem document of RFC 9457.
    package static let representation = ObjectRepresentation<Occurrence>(
        "Problem", "An error, RFC 9457.",
        [
            .ofSite(
                "type",
                .text(format: "uri", example: "\(Example.site)\(ProblemKind.notFound.path)"),
                "The kind of problem: the address of a page, /api/problems/{kind}, that explains it."
            ) { $1.publicURL + $0.problem.kind.path },
            .init(
                "kind", .text(1..., example: ProblemKind.notFound.name),
                "The kind of problem by its name, which is the same at every site."
            ) { $0.problem.kind.name },
            .init(
                "title", .text(1..., example: ProblemKind.notFound.title),
                "The kind in words; the same for all problems of that kind."
            ) { $0.problem.kind.title },
            .init("status", .integer(400...599, example: 404), "The status code.") {
                $0.problem.status.code
            },
            .init(
                "detail", .text(1..., example: ProblemKind.notFound.exampleDetail),
                "What happened, and what to do about it."
            ) { $0.problem.detail.string(in: .en) },
            .init(
                "instance", .text(format: "uri", example: "urn:uuid:\(Example.requestID)"),
                "The request's id, as in X-Request-ID."
            ) { $0.requestID.urn },
            .optional(
                "scope", .text(1..., example: "list:write"),
                "Only for `insufficient-scope`: the scope that the personal token lacks."
            ) { $0.problem.scope },
            .optional(
                "parameter", .text(example: "limit"),
                "Only if a parameter of the query or a header field is wrong: its name."
            ) { $0.problem.parameter },
            .optional(
                "errors", .array(of: memberError, atMost: JSONObjectReader.maximumErrors),
                "Only for `invalid-members`: everything that is wrong with the body."
            ) { $0.problem.errors.isEmpty ? nil : $0.problem.errors },
        ])

    package static let memberError = ObjectRepresentation<MemberError>(
        "MemberError", "One thing that is wrong with a body.",
        [
            .init(
                "pointer", .text(example: "/items/0/rating"),
                "The member: a JSON pointer, RFC 6901. Empty for the whole body."
            ) { $0.pointer },
            .init(
                "detail", .text(1..., example: "This must be from 1 to 5."), "The error in words."
            ) { $0.detail.string(in: .en) },
            .init(
                "kind", .text(1..., example: FaultKind.outOfRange.name),
                "The kind of error; [invalid-members](/api/problems/invalid-members) explains each."
            ) { $0.kind.name },
        ])

    /// The response to a client of the API.
    package func response(for site: SiteAddresses, requestID: RequestID) -> Response {
        var response = Response.json(
            Occurrence(problem: self, requestID: requestID), Self.representation, for: site, status)
        for field in headerFields { response.headerFields.append(field) }
        response.headerFields[.contentType] = MediaType.problemJSON.description
        response.forbidCaching()
        return response
    }
}

extension ProblemKind {
    /// An example of a problem of this kind, for the API's description.
    package var example: JSONValue {
        var members = Problem.representation.schema.example.members
        members["type"] = .string(Example.site + path)
        members["kind"] = .string(name)
        members["title"] = .string(title)
        members["status"] = .int(status.code)
        members["detail"] = .string(exampleDetail)
        if self != .invalidMembers { members["errors"] = nil }
        if self != .insufficientScope { members["scope"] = nil }
        switch self {
        case .invalidParameter: break
        case .invalidCursor: members["parameter"] = "cursor"
        default: members["parameter"] = nil
        }
        return .object(members)
    }
}
