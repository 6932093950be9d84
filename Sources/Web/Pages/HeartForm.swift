import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Views

/// The button beside a comment, with which people say “me too”.
enum HeartForm {
    static let routes = [
        Route(
            .post, "/entries/{entry}/heart", .page, takes: .visitor(returningTo: "/entries"),
            .entryID, answers: .response, handler: change)
    ]

    @Sendable private static func change(
        _ call: Call, visitor: Visitor, entry: UUID
    ) async throws -> Response {
        let form = try call.form()
        switch form["do"] {
        case "give":
            // Someone whose page is old sees what the comment says now, and can give a heart to that.
            let outcome = try await call.services.accounts.giveHeart(
                to: entry, by: visitor.user, seen: form["seen"].flatMap { Int($0) })
            guard outcome != .gone else {
                throw Problem.notFound("This comment isn’t here any more.")
            }
        case "take":
            try await call.services.store.takeHeart(from: entry, by: visitor.user.id)
        default: throw Problem.badRequest("The form says neither to give nor to take a heart.")
        }
        let page = ReturnPath.parse(form["return"]) ?? "/entries"
        return .seeOther(page + Path.heartMark(entry))
    }
}
