import Endpoints
import FaveGames
import JSON

extension V1 {
    static let gameImport = ObjectRepresentation<GameImport>(
        "GameImport", "A file with games from elsewhere, whose rows can be picked.",
        [
            .init(
                "state", EnumerationRepresentation<GameImport.State>(),
                "running: games are still being looked for. failed: something went wrong, send it again."
            ) { $0.state },
            .init("fileName", .text(0...100, example: "games.csv"), "The file's name, if known.") {
                $0.fileName
            },
            .init(
                "rowCount", .integer(1...ImportedRow.limit, example: 120), "The rows of the file."
            ) { $0.rowCount },
            .init(
                "doneCount", .integer(0...ImportedRow.limit, example: 120),
                "The rows whose game was looked for."
            ) { $0.doneCount },
            .init(
                "suggestedCount", .integer(0...ImportedRow.limit, example: 113),
                "Those of them that can be picked."
            ) { $0.suggestedCount },
            .init("createdAt", .date, "When the file was sent.") { $0.madeAt },
            .init("expiresAt", .date, "When it is deleted.") { $0.expiresAt },
        ])

    static let importRow = ObjectRepresentation<ImportRow>(
        "ImportRow",
        "A row of a file from elsewhere, and what was found for it. “rating” is omitted if there is none.",
        [
            .init(
                "place", .integer(1...ImportedRow.limit, example: 1),
                "In the import: the best rated first, then in the file's order."
            ) { $0.place },
            .init("line", .integer(1..., example: 2), "The line on which it begins.") { $0.line },
            .init("name", .text(0...200, example: "Portal"), "The game's name in the file.") {
                $0.name
            },
            .init("platforms", .text(0...200, example: "PC"), "The platforms in the file.") {
                $0.platforms
            },
            .init("score", .text(0...20, example: "4.5"), "The rating in the file.") { $0.score },
            .optional("rating", .integer(.rating)) { $0.rating?.value },
            .init(
                "comment", .text(.comment), "The comment in the file, cut to what a list can have."
            ) { $0.comment },
            .init("tags", TagsRepresentation()) {
                ((try? Tags(commaSeparated: $0.tags)) ?? .none).texts
            },
            .init("shelf", .text(0...200, example: "Played"), "The shelf or status in the file.") {
                $0.shelf
            },
            .init("date", .text(0...20, example: "2011-04-19"), "The date in the file.") {
                $0.date
            },
            .init(
                "finding", EnumerationRepresentation<ImportFinding>(),
                """
                The first four can be picked. found; several_games: several have the name, and \
                “game” is the best known; unknown_platform and not_on_platform: another platform \
                must be chosen; duplicate: the file has it twice; no_game: none has the name; \
                no_name; malformed: there are more fields than columns.
                """
            ) { $0.finding },
            .init(
                "candidates", .integer(0..., example: 1), "How many games suit equally well."
            ) { $0.candidates },
            .init("game", NullableRepresentation(game), "The game that was found; or null.") {
                $0.game
            },
            .init(
                "platform", NullableRepresentation(platform),
                "The platform to suggest; null if it must be chosen."
            ) { $0.platform },
        ])
}
