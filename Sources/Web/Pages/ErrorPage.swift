import HTTP
import HTTPTypes
import Views

/// What a person sees instead of a problem document.
enum ErrorPage {
    static func response(to problem: Problem, _ context: PageContext) -> Response {
        let heading = heading(problem.status)
        var page = PageModel(
            heading, description: problem.detail, path: nil, context: context)
        page.isIndexed = false
        let retry = problem.headerFields[.retryAfter].map {
            $0 == "1" ? "Try again in a second." : "Try again in \($0) seconds."
        }
        var response = Response.page(
            page,
            .error(
                status: problem.status.code, heading: heading, message: problem.detail,
                retry: retry, signIn: problem.status == .unauthorized ? page.signIn : nil),
            status: problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        response.headerFields[.cacheControl] = "no-store"
        return response
    }

    private static func heading(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .badRequest: "That did not make sense"
        case .unauthorized: "Please sign in"
        case .forbidden: "This is not yours"
        case .notFound: "There is nothing here"
        case .methodNotAllowed, .notImplemented: "That cannot be done here"
        case .preconditionFailed: "It changed in the meantime"
        case .tooManyRequests: "One moment, please"
        case .serviceUnavailable: "Back in a moment"
        default: status.kind == .serverError ? "Something went wrong" : "That did not work"
        }
    }
}
