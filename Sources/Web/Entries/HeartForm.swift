import Actions
import Endpoints
import Foundation
import HTTP
import HTTPTypes
import Views

/// The “me too” button beside a comment.
enum HeartForm {
    static let routes = [
        Route(
            .post, "/entries/{entry}/heart", .page, takes: .visitor(returningTo: "/entries"),
            .entryID, .form(Wish.self), .formReturnPath, returns: .response, handler: change)
    ]

    private enum Choice: String, CaseIterable {
        case give, take
    }

    private struct Wish: RequestBody {
        let choice: Choice
        /// The version of the comment that the page showed.
        let seen: Int?

        init?(from reader: inout JSONObjectReader) {
            let choice: Choice? = reader.required("do", .choice)
            seen = reader.optional("seen", .integer(0...Int.max, example: 1))
            guard let choice else { return nil }
            self.choice = choice
        }
    }

    @Sendable private static func change(
        _ context: RequestContext, visitor: Visitor, entry: UUID, wish: Wish, returnPath: String?
    ) async throws -> Response {
        switch wish.choice {
        case .give:
            do {
                try await context.hearts.give(to: entry, by: visitor.user, seen: wish.seen)
            } catch HeartError.changed {
                // Their page is old: they see what the comment says now, and can give a heart to that.
            }
        case .take: try await context.hearts.take(from: entry, by: visitor.user)
        }
        return .seeOther((returnPath ?? "/entries") + Path.heartMark(entry))
    }
}
