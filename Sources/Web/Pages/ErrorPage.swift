import Endpoints
import HTTP
import HTTPTypes
import Views

/// The page that a person sees instead of a problem document.
enum ErrorPage {
    static func response(to problem: Problem, _ context: PageContext) -> Response {
        let heading = heading(problem)
        var page = PageModel(
            heading, description: problem.detail, path: nil, context: context)
        page.isIndexed = false
        // It is the page's own text.
        if problem.kind == .maintenance { page.maintenance = nil }
        var response = Response.page(
            page,
            .error(
                status: problem.status.code, heading: heading, message: problem.detail,
                retry: retry(problem), signIn: problem.status == .unauthorized ? page.signIn : nil),
            status: problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        response.forbidCaching()
        return response
    }

    /// When to try again, unless the problem says so itself.
    static func retry(_ problem: Problem) -> String? {
        guard !problem.detail.contains("Try again in"),
            let seconds = problem.headerFields[.retryAfter]
        else { return nil }
        if problem.status == .serviceUnavailable, !passesSoon(problem) { return "Try again later." }
        return seconds == "1" ? "Try again in a second." : "Try again in \(seconds) seconds."
    }

    /// Whether it passes if people wait. Otherwise someone has to do something first.
    private static func passesSoon(_ problem: Problem) -> Bool {
        guard let seconds = problem.headerFields[.retryAfter].flatMap({ Int($0) }) else {
            return false
        }
        return seconds < 60
    }

    static func heading(_ problem: Problem) -> String {
        let status = problem.status
        return switch status {
        case .badRequest: "That didn’t work"
        case .unauthorized: "Please sign in"
        case .forbidden: "Not allowed"
        case .notFound: "Page not found"
        case .methodNotAllowed, .notImplemented: "You can’t do that here"
        case .preconditionFailed: "This changed while you were here"
        case .tooManyRequests: "Just a moment"
        case .serviceUnavailable where problem.kind == .maintenance: "Under maintenance"
        case .serviceUnavailable:
            passesSoon(problem) ? "Back in a moment" : "Not available at the moment"
        default: status.kind == .serverError ? "Something went wrong" : "That didn’t work"
        }
    }
}
