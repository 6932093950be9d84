import FaveGames
import HTTP
import HTTPTypes
import Logging

/// An error as the first front end is told it: in words where it reads, and where it writes with a
/// code for programs.
///
/// It parses every answer as JSON and shows what it finds. Words are not JSON, so it leaves what it
/// shows as it is; an object where it expects an array would take its whole page down.
struct V0Error: Sendable {
    let problem: Problem
    let code: String

    /// - Parameter logger: Gets the details of what a client must not see.
    init(_ error: any Error, logger: Logger) {
        if case ListError.tooManyEntries = error {
            problem = .badRequest(ListError.tooManyEntries.description)
            code = "too_many_games"
        } else {
            problem = Problem(error, logger: logger)
            code = Self.code(problem.status)
        }
    }

    static func code(_ status: HTTPResponse.Status) -> String {
        status.reasonPhrase.lowercased().replacing(" ", with: "_")
    }

    func response(to request: Request) -> Response {
        let isRead = request.method.isRead
        var response = isRead ? words : object
        response.status = problem.status
        for field in problem.headerFields { response.headerFields.append(field) }
        response.headerFields[.cacheControl] = "no-store"
        return response
    }

    private var words: Response {
        Response(
            headerFields: [.contentType: MediaType.text.description], body: Array(message.utf8))
    }

    private var object: Response { .json(self, V0.error) }

    var message: String {
        guard !problem.errors.isEmpty else { return problem.detail }
        return problem.errors.map { error in
            // All members that v0 reads are at the top level: a slash and the name.
            let subject = error.pointer.isEmpty ? "The body" : "\"\(error.pointer.dropFirst())\""
            return "\(subject) \(error.detail)."
        }.joined(separator: " ")
    }
}
