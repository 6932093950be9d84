import Endpoints
import HTTP
import HTTPTypes
import Languages
import Views

/// The pages that explain the types of problem documents.
enum ProblemsPage {
    static let routes = [
        Route(.get, Path.problems, .page, returns: .response, caching: .constant) { context in
            let page = PageModel(
                .problemTypes, description: .aboutProblemTypes,
                path: Path.problems, context: context.pageContext)
            return Response.page(page, .problems(ProblemKind.all.map(\.forPage)))
        },
        Route(
            .get, "\(Path.problems)/{kind}", .page, takes: .problemKind, returns: .response,
            caching: .constant
        ) { context, kind in
            let page = PageModel(
                Words(name: kind.title), description: Words(name: kind.explanation),
                path: kind.path,
                context: context.pageContext)
            return Response.page(page, .problemKind(kind.forPage))
        },
    ]
}

extension Input where Value == ProblemKind {
    fileprivate static var problemKind: Self {
        .path("kind", "", .text(example: ProblemKind.notFound.name)) {
            ProblemKind.named($0)
        }
    }
}

extension ProblemKind {
    var forPage: ProblemExplanation {
        ProblemExplanation(
            name: name, href: path, status: status.code, title: title,
            explanation: explanation,
            faults: self == .invalidMembers
                ? FaultKind.all.map { .init(name: $0.name, summary: $0.summary) } : [])
    }
}
