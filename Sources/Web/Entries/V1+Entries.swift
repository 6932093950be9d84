import Endpoints
import FaveGames

extension V1 {
    static let inclusion = ObjectRepresentation<Inclusion>(
        "Inclusion",
        "A user's entry for a certain game. “rating” is omitted if there is none.",
        [
            .init("id", .uuid(example: Example.entry), "The entry's id.") { $0.id },
            .init("user", person) { Person($0) },
            .init("position", .integer(.position), "The entry's place on the user's list, from 1.")
            {
                $0.position
            },
        ] + opinionMembers() + [
            .init(
                "hearts", .integer(0..., example: 3),
                "How many people say “me too” to the comment."
            ) { $0.hearts }
        ])

    static let foundEntry = ObjectRepresentation<FoundEntry>(
        "FoundEntry", "An entry of a user's list, with its game.", extending: inclusion,
        { $0.inclusion },
        [
            .init("game", game) { $0.game },
            .init("platform", platform) { $0.inclusion.platform },
        ])
}
