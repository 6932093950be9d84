import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages

/// An error for the first front end: plain text in the response to a read, and an object with a code
/// in the response to a write.
///
/// The first front end parses every response as JSON and shows the result. Plain text is not JSON, so
/// the front end leaves what it shows as it is. An object where it expects an array would break its
/// whole page.
struct V0Error: Sendable {
    let problem: Problem
    let code: String

    /// - Parameter problem: The error in later versions of the API.
    init(_ error: any Error, _ problem: Problem) {
        if case ListError.tooManyEntries = error {
            self.problem = .badRequest(ListError.tooManyEntries.words)
            code = "too_many_games"
        } else {
            self.problem = problem
            code = Self.code(problem.status)
        }
    }

    static func code(_ status: HTTPResponse.Status) -> String {
        status.reasonPhrase.lowercased().replacing(" ", with: "_")
    }

    func response(to request: Request, for site: SiteAddresses) -> Response {
        let isRead = request.method.isRead
        var response = isRead ? words : .json(self, V0.error, for: site)
        response.status = problem.status
        for field in problem.headerFields { response.headerFields.append(field) }
        response.forbidCaching()
        return response
    }

    private var words: Response {
        Response(
            headerFields: [.contentType: MediaType.text.description], body: Array(message.utf8))
    }

    var message: String {
        guard !problem.errors.isEmpty else { return problem.detail.string(in: .en) }
        return problem.errors.map { error in
            // All members that v0 reads are at the top level, so the pointer is a slash and the
            // name.
            let subject = error.pointer.isEmpty ? "The body" : "\"\(error.pointer.dropFirst())\""
            let detail = error.detail.string(in: .en)
            return detail.hasPrefix("This ")
                ? "\(subject) \(detail.dropFirst("This ".count))" : "\(subject): \(detail)"
        }.joined(separator: " ")
    }
}
