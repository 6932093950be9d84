/// A column that we know how to read, with its headings in files from elsewhere.
///
/// Sources of the headings, each seen in November 2026:
///
/// - **IGDB**, the export of a list: `id,game,url,rating,category,release_date,platforms,genres,themes,
///   companies,description`. From the sample files in the tests of two public importers (the packages
///   igdb-yamtrack-importer and tonkatsu_box); not tried with an account.
/// - **Grouvee**, the export of a collection: `id,name,shelves,platforms,rating,review_title,review,
///   review_platform,dates,statuses,genres,franchises,series,developers,publishers,release_date,
///   date_added_to_collection,url,giantbomb_id,igdb_id`, with JSON objects in the cells of shelves and
///   platforms. From a sample of a real export in the tests of a public importer.
/// - **Backloggd** has no export of its own. Programs that read its pages write `Title,Rating`, as the
///   BackloggdExporter's README says, or columns like those of others.
/// - **Our own** are those that `ListFile` in Web writes.
///
/// Headings are compared without case, spaces and punctuation.
enum ImportColumn: CaseIterable {
    case name, gameID, address, platform, platformID, rating, comment, tags, shelf, release, date

    /// The headings, the most specific first.
    var headings: [String] {
        switch self {
        case .name: ["game", "name", "title", "gamename", "gametitle", "videogame"]
        case .gameID: ["igdbid", "igdbgameid", "gameid", "id"]
        case .address: ["url", "igdburl", "link", "address"]
        case .platform: ["platform", "platforms", "playedon", "system", "console"]
        case .platformID: ["platformid", "igdbplatformid"]
        case .rating: ["rating", "userrating", "myrating", "personalrating", "score", "stars"]
        case .comment: ["comment", "review", "why", "notes", "note", "reviewtext"]
        case .tags: ["tags"]
        case .shelf: ["shelf", "shelves", "status", "playstatus", "list"]
        case .release:
            ["releaseyear", "year", "releasedate", "releasedates", "released", "firstreleaseyear"]
        case .date:
            [
                "date", "datefinished", "finished", "finishedon", "completedon", "dates",
                "dateaddedtocollection", "dateadded", "createdat",
            ]
        }
    }

    /// The places of the columns in a file.
    ///
    /// - Parameter header: The headings, as they are in the file.
    static func places(in header: [String]) -> [ImportColumn: Int] {
        let plain = header.map(plain)
        var places: [ImportColumn: Int] = [:]
        for column in allCases {
            places[column] = column.headings.lazy.compactMap { plain.firstIndex(of: $0) }.first
        }
        return places
    }

    /// Whether a file's headings say that the numbers of its games are IGDB's. Other sites have an "id"
    /// or a "game id" of their own; our own file has those of IGDB.
    static func hasIGDBsIDs(_ header: [String], _ places: [ImportColumn: Int]) -> Bool {
        guard let place = places[.gameID] else { return false }
        return plain(header[place]).contains("igdb")
            || Set(header.map(plain)).isSuperset(of: ["position", "gameid", "platformid"])
    }

    private static func plain(_ heading: String) -> String {
        String(
            heading.lowercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            })
    }
}
