import Endpoints
import FaveGames
import Foundation
import HTTP
import Identity
import JSON
import Storage
import Views

extension V1 {
    static let keptSlug = Schema.text(pattern: KeptListSlug.pattern, example: "2026")

    static let keptTitle = Schema.text(1...KeptListTitle.limit, example: "My five, 2026")

    static let keptListSummary = ObjectRepresentation<KeptListSummary>(
        "KeptListSummary", "What a list was kept as.",
        [
            .init(
                "slug", .text(keptSlug),
                "The end of its address: its year, with a number for all but the first."
            ) { $0.slug },
            .init("title", .text(keptTitle), "The title that the user gave it.") { $0.title },
            .init("keptAt", .date, "When it was kept.") { $0.keptAt },
        ])

    static let keptEntry = ObjectRepresentation<KeptEntry>(
        "KeptEntry", "One of the games on a kept list. “rating” is omitted if there is none.",
        [
            .init("position", .integer(.position), "The entry's place on the list, from 1.") {
                $0.position
            },
            .init(
                "previousPosition", .nullable(.integer(.position)),
                "The game's place on the list that was kept before; null if it wasn't there."
            ) { $0.previousPosition },
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
            .init(
                "comment", .text(.comment),
                """
                Why the user loved it: plain text with line feeds, at most \(Comment.limit.grouped) characters; empty \
                if there is none.
                """
            ) { $0.comment },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init("tags", TagsRepresentation()) { $0.tags },
        ])

    static let keptList = ObjectRepresentation<KeptList>(
        "KeptList", "A user's list as it was when they kept it. It doesn't change.",
        extending: keptListSummary, { $0.summary },
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "entries", .array(of: keptEntry, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.entries },
            .init(
                "previous", .nullable(keptListSummary),
                "The list that was kept before this one; null for the first."
            ) { $0.previous },
            .init(
                "gone", .array(of: keptEntry, atMost: FaveList.limit),
                "The entries of that list whose games aren't on this one."
            ) { $0.gone },
        ])
}
