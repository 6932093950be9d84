import HTTP

/// What the types of problem documents mean.
enum ProblemsPage {
    struct Model: Sendable {
        let page: PageModel
        let kinds: [KindModel]
    }

    struct KindPageModel: Sendable {
        let page: PageModel
        let kind: KindModel
    }

    struct KindModel: Sendable {
        let name: String
        let href: String
        let status: Int
        let title: String
        let explanation: String

        init(_ kind: ProblemKind) {
            name = kind.rawValue
            href = kind.path
            status = kind.status.code
            title = kind.title
            explanation = kind.explanation
        }
    }

    @Sendable
    static func show(_ call: Call) throws -> Response {
        let page = PageModel(
            "Problems of the API",
            description: "What can go wrong with a request to the API, and what to do about it.",
            path: Path.problems, context: call.context)
        let model = Model(page: page, kinds: ProblemKind.allCases.map { KindModel($0) })
        return try Response.html(call.services.views.render(.problems, model))
            .conditional(for: call.request)
    }

    @Sendable
    static func one(_ call: Call) throws -> Response {
        let kind = try call.path(.problemKind)
        let page = PageModel(
            kind.title, description: kind.explanation, path: kind.path, context: call.context)
        let model = KindPageModel(page: page, kind: KindModel(kind))
        return try Response.html(call.services.views.render(.problemKind, model))
            .conditional(for: call.request)
    }
}
