import Endpoints
import FaveGames
import JSON
import Languages

extension V1 {
    static let similarList = ObjectRepresentation<SimilarList>(
        "SimilarList", "A list that shares games with another one.",
        [
            .init("user", person) { Person($0.list.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.list.owner.listUpdatedAt },
        ] + tasteMembers { $0.taste })

    static let sharedTaste = ObjectRepresentation<SharedTaste>(
        "SharedTaste", "What a list has in common with another one.", tasteMembers { $0 })

    static func tasteMembers<Value: Sendable>(
        _ taste: @escaping @Sendable (Value) -> SharedTaste
    ) -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "shared", .array(of: game, atMost: FaveList.limit),
                "The games that both lists have, whatever the platform."
            ) { taste($0).shared },
            .init(
                "others", .array(of: game, atMost: FaveList.limit),
                "The other games of this list."
            ) { taste($0).others },
        ]
    }

    static let entry = ObjectRepresentation<Entry>(
        "Entry", "One of the games on a list. “rating” is omitted if there is none.",
        [
            .init(
                "id", .uuid(example: Example.entry),
                "The entry's id. It stays the same when the entry is moved or changed."
            ) { $0.id },
            .init("position", .integer(.position), "The entry's place on the list, from 1.") {
                $0.position
            },
            .init("gameId", .integer(.igdbGame), "The game's id.") { $0.game.id },
            .init("platformId", .integer(.igdbPlatform), "The platform's id.") { $0.platform.id },
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.platform },
        ] + opinionMembers())

    static let list = ObjectRepresentation<FaveList>(
        "UserList", "A user's favourite games.",
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.owner.listUpdatedAt },
            .init(
                "entries", .array(of: entry, atMost: FaveList.limit),
                """
                In the order of their positions, at most five. Others don't see entries with games that \
                the site hides.
                """
            ) { $0.entries },
            page("/@rob") { "/@\($0.owner.username)" },
        ])

    static func opinionMembers<Value: Opinion>() -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "comment", .text(.comment),
                """
                Why the user loves it: plain text with line feeds, at most \(Comment.limit.grouped.string(in: .en)) characters; empty \
                if there is none.
                """
            ) { $0.comment },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init("tags", TagsRepresentation()) { $0.tags },
            .init("createdAt", .date, "When the entry was added.") { $0.createdAt },
            .init("updatedAt", .date, "When the entry's contents last changed.") {
                $0.updatedAt
            },
        ]
    }

    struct TagsRepresentation: Representation {
        let schema = Schema.tags

        func write(_ value: [String], to json: inout JSONWriter, for site: SiteAddresses) {
            json.array(value) { $0.string($1) }
        }
    }

    static let listSummary = ObjectRepresentation<ListSummary>(
        "ListSummary", "A list in short.",
        [
            .init("user", person) { Person($0.owner) },
            .init(
                "updatedAt", .nullable(.date), "When the list last changed; null if it never has."
            ) { $0.owner.listUpdatedAt },
            .init(
                "games", .array(of: game, atMost: FaveList.limit),
                "In the order of their positions, at most five."
            ) { $0.games },
        ])
}
