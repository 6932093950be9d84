import CSV
import Demo
import EmbeddedFiles
import FaveGames
import Languages
import Storage
package import StorageWrites

/// The starter data, read from CSV files that are embedded in the program.
package enum StarterData {
    /// IGDB's platforms.
    package static func platforms() throws -> [PlatformSeed] {
        try rows("platforms.csv").map { row in
            PlatformSeed(
                platform: Platform(
                    id: try row.number("igdb_id"), slug: try row.text("slug"),
                    name: try row.text("name"), abbreviation: row.optional("abbreviation")),
                generation: row.optional("generation").flatMap { Int($0) },
                family: row.optional("family"))
        }
    }

    /// The games that demo lists are made from.
    package static func demoGames() throws -> [GameSeed] {
        try games().filter { DemoCatalogue.ids.contains($0.game.id) }
    }

    /// Games, with the platforms that they are on and their further names.
    package static func games() throws -> [GameSeed] {
        var names: [Int: [GameName]] = [:]
        for row in try rows("names.csv") {
            guard
                let name = GameName(
                    try row.text("name"),
                    language: row.optional("language").flatMap(Language.init(tag:)))
            else { continue }
            names[try row.number("igdb_id"), default: []].append(name)
        }
        let adults = Set(try rows("adult-games.csv").map { try $0.number("igdb_id") })
        return try rows("catalogue.csv").map { row in
            let id = try row.number("igdb_id")
            return GameSeed(
                game: Game(
                    id: id, name: GameTitle(try row.text("name"), names: names[id] ?? []),
                    releaseYear: row.optional("first_release_year").flatMap { Int($0) },
                    coverImageID: row.optional("cover_image_id")),
                platformIDs: try row.text("platform_ids").split(separator: "|").compactMap {
                    GameID.parse(String($0))
                },
                fame: DemoCatalogue.fame(of: id),
                names: names[id] ?? [],
                isAdult: adults.contains(id))
        }
    }

    private static func rows(_ name: String) throws -> [Row] {
        guard let bytes = EmbeddedFile.all.first(where: { $0.name == name })?.contents else {
            throw OperatorError("\(name) is missing from this program.")
        }
        var reader = try CSVReader(bytes, limits: .init(records: 100_000))
        var rows: [Row] = []
        while let record = try reader.next() {
            rows.append(
                Row(
                    place: "\(name), line \(record.line)",
                    values: Dictionary(
                        zip(reader.header, record.fields), uniquingKeysWith: { $1 })))
        }
        return rows
    }

    private struct Row {
        let place: String
        let values: [String: String]

        func optional(_ column: String) -> String? {
            values[column].flatMap { $0.isEmpty ? nil : $0 }
        }

        func text(_ column: String) throws -> String {
            guard let text = optional(column) else {
                throw OperatorError("\(place): \(column) is missing.")
            }
            return text
        }

        func number(_ column: String) throws -> Int {
            guard let number = GameID.parse(try text(column)) else {
                throw OperatorError("\(place): \(column) is not an id.")
            }
            return number
        }
    }
}
