import HTTP
import Views

/// What the types of problem documents mean.
enum ProblemsPage {
    @Sendable
    static func show(_ call: Call) throws -> Response {
        let page = PageModel(
            "Problems of the API",
            description: "What can go wrong with a request to the API, and what to do about it.",
            path: Path.problems, context: call.context)
        return try Response.page(page, .problems(ProblemKind.allCases.map(\.forPage)))
            .conditional(for: call)
    }

    @Sendable
    static func one(_ call: Call) throws -> Response {
        let kind = try call.path(.problemKind)
        let page = PageModel(
            kind.title, description: kind.explanation, path: kind.path, context: call.context)
        return try Response.page(page, .problemKind(kind.forPage)).conditional(for: call)
    }
}

extension ProblemKind {
    var forPage: ProblemExplanation {
        ProblemExplanation(
            name: rawValue, href: path, status: status.code, title: title,
            explanation: explanation)
    }
}
