import Endpoints
import HTTP
import HTTPTypes
import Languages
import Views

/// The text that someone typed into a page's form. It is used when the server can neither handle the
/// form nor show its page again: the database is unavailable, or the session has ended.
struct UnsentForm {
    private let path: String
    private let fields: [UnsentField]

    /// Room for what fits in the largest text area, so that little is read here on the loop.
    private static let limit = 1_000_000

    /// Takes the fields that the route doesn't declare as secrets, in their order.
    ///
    /// - Returns: `nil` if nothing was typed.
    init?(_ route: Route, _ request: Request) {
        let kinds = route.inputs.compactMap(\.body).flatMap(\.fields)
        guard route.kind == .page, route.method == .post,
            kinds.contains(where: \.isWritten),
            request.body.count <= Self.limit, let items = request.formItems
        else { return nil }
        // The first two make it possible to send the same form again.
        let known = [.chosen("token"), .chosen("return")] + kinds
        path = request.target.path
        fields = items.items.enumerated().compactMap { index, item in
            known.first { $0.name == item.name }.map { kind in
                UnsentField(
                    id: "typed-\(index)", name: item.name, value: item.value,
                    label: item.value.isEmpty || !kind.isWritten ? nil : Self.label(item.name))
            }
        }
        guard fields.contains(where: { $0.label != nil }) else { return nil }
    }

    /// What people call a field that they have written something into.
    static func label(_ name: String) -> Words {
        switch name {
        case "account": .accountField
        case "address": .addressField
        case "bio": .bioField
        case "comment": .commentField
        case "csv": .rowsField
        case "description": .descriptionField
        case "displayName": .displayNameField
        case "name": .nameField
        case "note": .noteField
        case "reason": .reasonField
        case "redirects": .redirectsField
        case "tags": .tagsField
        case "title": .titleField
        case "username": .usernameField
        default: .english(name)
        }
    }

    /// - Parameter address: Where to sign in first; `nil` if that doesn't help.
    func response(
        to problem: Problem, signingInAt address: String? = nil, _ context: PageContext
    ) -> Response {
        let heading = address == nil ? ErrorPage.heading(problem) : .pleaseSignInAgain
        var page = PageModel(
            heading, description: problem.words, path: nil, context: context)
        page.isIndexed = false
        if problem.kind == .maintenance { page.maintenance = nil }
        let mayHelp =
            address != nil || problem.status.kind == .serverError
            || problem.status == .tooManyRequests
        let content = View.unsent(
            heading: heading, message: problem.words, retry: ErrorPage.retry(problem),
            signIn: address, action: path,
            fields: fields, isRepeatable: mayHelp)
        return .privatePage(page, content, problem: problem)
    }
}

extension Request {
    /// The fields of a form; `nil` if the body is none that can be read.
    fileprivate var formItems: FormItems? {
        guard let type = headerFields[.contentType].flatMap({ MediaType(parsing: $0) }) else {
            return nil
        }
        if type.isSameType(as: .formURLEncoded) { return try? FormItems(parsing: body) }
        guard type.isSameType(as: .formData) else { return nil }
        return (try? MultipartForm(parsing: body, type: type)).flatMap { try? FormItems($0) }
    }
}
