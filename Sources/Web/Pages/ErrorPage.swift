import Endpoints
import HTTP
import HTTPTypes
import Languages
import Views

/// The page that a person sees instead of a problem document.
enum ErrorPage {
    static func response(to problem: Problem, _ context: PageContext) -> Response {
        let heading = heading(problem)
        var page = PageModel(
            heading, description: problem.words, path: nil, context: context)
        page.isIndexed = false
        // It is the page's own text.
        if problem.kind == .maintenance { page.maintenance = nil }
        var response = Response.page(
            page,
            .error(
                status: problem.status.code, heading: heading, message: problem.words,
                retry: retry(problem), signIn: problem.status == .unauthorized ? page.signIn : nil),
            status: problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        response.forbidCaching()
        return response
    }

    /// When to try again, unless the problem says so itself.
    static func retry(_ problem: Problem) -> Words? {
        guard !problem.detail.string(in: .en).contains("Try again in"),
            let seconds = problem.headerFields[.retryAfter]
        else { return nil }
        if problem.status == .serviceUnavailable, !passesSoon(problem) { return .tryLater }
        return Int(seconds).map { .tryAgain(in: $0) }
    }

    /// Whether it passes if people wait. Otherwise someone has to do something first.
    private static func passesSoon(_ problem: Problem) -> Bool {
        guard let seconds = problem.headerFields[.retryAfter].flatMap({ Int($0) }) else {
            return false
        }
        return seconds < 60
    }

    static func heading(_ problem: Problem) -> Words {
        let status = problem.status
        return switch status {
        case .badRequest: .didNotWork
        case .unauthorized: .pleaseSignIn
        case .forbidden: .notAllowed
        case .notFound: .pageNotFound
        case .methodNotAllowed, .notImplemented: .notPossibleHere
        case .preconditionFailed: .changedMeanwhile
        case .tooManyRequests: .justAMoment
        case .serviceUnavailable where problem.kind == .maintenance: .underMaintenance
        case .serviceUnavailable:
            passesSoon(problem) ? .backInAMoment : .notAvailable
        default: status.kind == .serverError ? .somethingWentWrong : .didNotWork
        }
    }
}
