import Endpoints
import FaveGames
import JSON
import Languages

extension V1 {
    static let snapshotSlug = Schema.text(pattern: SnapshotSlug.pattern, example: "2026")

    static let snapshotTitle = Schema.text(1...SnapshotTitle.limit, example: "My five, 2026")

    static let snapshotSummary = ObjectRepresentation<SnapshotSummary>(
        "SnapshotSummary", "A snapshot without its entries.",
        [
            .init(
                "slug", .text(snapshotSlug),
                "The end of its address: its year, with a number for all but a yearly one."
            ) { $0.slug },
            .init("title", .text(snapshotTitle), "The title that the user gave it.") { $0.title },
            .init("takenAt", .date, "When it was taken.") { $0.takenAt },
            .init(
                "year", .nullable(.integer(1000...9999, example: 2026)),
                "The year that ended, of a yearly snapshot; null for one that the user took."
            ) { $0.year },
        ])

    static let snapshotEntry = ObjectRepresentation<SnapshotEntry>(
        "SnapshotEntry", "One of the games on a snapshot. “rating” is omitted if there is none.",
        [
            .init("position", .integer(.position), "The entry's place on the list, from 1.") {
                $0.position
            },
            .init(
                "previousPosition", .nullable(.integer(.position)),
                "The game's place on the previous snapshot; null if it wasn't there."
            ) { $0.previousPosition },
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
            .init(
                "comment", .text(.comment),
                """
                Why the user loved it: plain text with line feeds, at most \(Comment.limit.grouped.string(in: .en)) characters; empty \
                if there is none.
                """
            ) { $0.comment },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init("tags", TagsRepresentation()) { $0.tags },
        ])

    static let snapshot = ObjectRepresentation<Snapshot>(
        "Snapshot", "A user's list as it was when the snapshot was taken. It doesn't change.",
        extending: snapshotSummary, { $0.summary },
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "entries", .array(of: snapshotEntry, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.entries },
            .init(
                "previous", .nullable(snapshotSummary),
                "The snapshot before this one, or for a yearly one, the yearly one before; null for the "
                    + "first."
            ) { $0.previous },
            .init(
                "gone", .array(of: snapshotEntry, atMost: FaveList.limit),
                "The entries of that list whose games aren't on this one."
            ) { $0.gone },
        ])
}
