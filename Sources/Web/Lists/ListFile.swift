import CSV
import Endpoints
import FaveGames
import HTTP
import HTTPTypes

/// A list as a CSV file, which `ImportFile` reads again. Nothing in it is a formula to spreadsheets.
enum ListFile {
    private static let header = [
        "position", "game", "gameId", "platform", "platformId", "releaseYear", "comment", "rating",
        "tags", "createdAt", "updatedAt",
    ]

    static func response(_ list: FaveList, of site: SiteIdentity) -> Response {
        var csv = CSVWriter()
        csv.record(header)
        for entry in list.entries {
            csv.record([
                String(entry.position), entry.game.name.main, String(entry.game.id),
                entry.platform.name, String(entry.platform.id),
                entry.game.releaseYear.map { String($0) } ?? "", entry.comment,
                entry.rating.map { String($0.value) } ?? "", entry.tags.joined(separator: ", "),
                entry.createdAt.rfc3339, entry.updatedAt.rfc3339,
            ])
        }
        return Response(
            headerFields: [
                .contentType: MediaType.csv.description,
                .contentDisposition:
                    "attachment; filename=\"\(site.fileName)-\(list.owner.username).csv\"",
            ], body: csv.bytes)
    }

    /// The description of the file for the API.
    static let response = ResponseDescription(
        status: .ok, text: "The list as a file.", fields: [.contentDisposition],
        contents: [
            .init(
                type: "text/csv",
                schema: .text(
                    example:
                        "position,game,gameId,platform,platformId\r\n1,Portal,71,PC,6\r\n"))
        ])
}
