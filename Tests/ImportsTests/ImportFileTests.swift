import CSV
import FaveGames
import Testing

@testable import Imports

@Suite("A file from elsewhere")
struct ImportFileTests {
    private static let platforms = PlatformNames([
        Platform(id: 6, slug: "win", name: "PC (Microsoft Windows)", abbreviation: "PC"),
        Platform(id: 48, slug: "ps4--1", name: "PlayStation 4", abbreviation: "PS4"),
        Platform(id: 29, slug: "genesis", name: "Sega Mega Drive/Genesis", abbreviation: nil),
        Platform(id: 130, slug: "switch", name: "Nintendo Switch", abbreviation: "Switch"),
    ])

    private func rows(_ text: String) throws -> [ImportedRow] {
        try ImportFile.rows(Array(text.utf8), platforms: Self.platforms)
    }

    @Test("of IGDB has IGDB's ids")
    func igdb() throws {
        let rows = try rows(
            """
            id,game,url,rating,category,release_date,platforms,genres,themes,companies,description
            1942,The Witcher 3: Wild Hunt,https://www.igdb.com/games/tw3,80,0,2015-05-19,"PC, PS4",,,,
            71,Portal,https://www.igdb.com/games/portal,95,0,2007-10-10,PC (Microsoft Windows),,,,
            """)
        #expect(rows.map(\.name) == ["Portal", "The Witcher 3: Wild Hunt"])
        #expect(rows.map(\.gameID) == [71, 1942])
        #expect(rows.map(\.line) == [3, 2])
        #expect(rows.map(\.releaseYear) == [2007, 2015])
        #expect(rows.map(\.platformIDs) == [[6], [6, 48]])
        #expect(rows.map(\.rating?.value) == [5, 4])
        #expect(rows.map(\.score) == ["95", "80"])
    }

    @Test("of Grouvee has JSON in its cells, and an id that is not IGDB's")
    func grouvee() throws {
        let header =
            "id,name,shelves,platforms,rating,review_title,review,review_platform,dates,statuses,genres,"
            + "franchises,series,developers,publishers,release_date,date_added_to_collection,url,"
            + "giantbomb_id,igdb_id"
        let rows = try rows(
            header + "\r\n"
                + #"107168,Portal,"{""Played"": {""date_added"": ""2017-07-18T13:48:26Z""}, ""Best"": {}}","#
                + #""{""PC (Microsoft Windows)"": {""url"": ""x""}}",5,Great,Loved it,,"#
                + #""[{""date_started"": ""2010-01-01""}]",[],{},{},{},{},{},2007-10-10,2017-07-18,x,,71"#
                + "\r\n"
                + #"196974,Borderlands 4,"{""Wish List"": {}}",{},,,,,[],[],{},{},{},{},{},2025-09-11,,x,,"#
        )
        #expect(rows.map(\.gameID) == [71, nil])
        #expect(rows.map(\.shelf) == ["Best, Played", "Wish List"])
        #expect(rows.map(\.platformIDs) == [[6], []])
        #expect(rows.map(\.platforms) == ["PC (Microsoft Windows)", ""])
        #expect(rows.map(\.rating?.value) == [5, nil])
        #expect(rows.map(\.comment.text) == ["Loved it", ""])
        #expect(rows.map(\.date) == ["2010-01-01", ""])
    }

    @Test("proves that its numbers are IGDB's by a heading or by IGDB's addresses")
    func proof() throws {
        func proofs(_ text: String) throws -> [Bool] { try rows(text).map(\.isIGDBsID) }
        #expect(try proofs("igdb_id\n71\n") == [true])
        #expect(try proofs("name,IGDB ID\nA,71\nB,\n") == [true, false])
        #expect(try proofs("position,game,gameId,platform,platformId\n1,A,71,PC,6\n") == [true])
        #expect(try proofs("name,id\nA,71\n") == [false])
        #expect(try proofs("name,gameId\nA,71\n") == [false])
        let found = try rows(
            """
            id,title,url
            71,A,https://www.igdb.com/games/a
            72,B,HTTP://igdb.com/games/b
            73,C,https://example.com/www.igdb.com/games/c
            74,D,https://igdb.com.example/games/d
            75,,https://example.com/e
            76,,igdb.com/games/f
            """)
        #expect(found.map(\.gameID) == [71, 72, 73, 74, 75, 76])
        #expect(found.map(\.isIGDBsID) == [true, true, false, false, false, true])
        #expect(found.map(\.finding) == [nil, nil, nil, nil, .noName, nil])
        #expect(throws: ImportFault.noNameColumn(headings: ["game_id", "x"])) {
            try rows("game_id,x\n71,\n")
        }
    }

    @Test("may have the year after the name, rows that were emptied, and a line for spreadsheets")
    func spreadsheet() throws {
        let rows = try rows(
            "\u{FEFF}sep=;\r\n;;\r\nname;year\r\nDoom (2016);\r\n;\r\nDoom (1993) ;1994\r\n1942 (x);\r\n;;\r\n"
        )
        #expect(rows.map(\.name) == ["Doom (2016)", "Doom (1993)", "1942 (x)"])
        #expect(rows.map(\.releaseYear) == [2016, 1994, nil])
        #expect(rows.map(\.line) == [4, 6, 7])
        #expect(rows.map(\.finding) == [nil, nil, nil])
    }

    @Test("of a program that reads Backloggd has halves of stars")
    func backloggd() throws {
        let rows = try rows("Title,Rating\nA,3.5\nB,0.0\nC,5.0\nD,0.5\nE,4.5\n")
        #expect(rows.map(\.name) == ["C", "E", "A", "D", "B"])
        #expect(rows.map(\.rating?.value) == [5, 5, 4, 1, nil])
    }

    @Test("with semicolons, other headings and other scales is read, too")
    func others() throws {
        let rows = try rows(
            "Game Title;System;My Rating;Status;Year\nÔkami;Mega Drive;9,5;Beaten;2006\nB;Amiga;4/10;;\n"
        )
        #expect(rows.map(\.name) == ["Ôkami", "B"])
        #expect(rows.map(\.rating?.value) == [5, 2])
        #expect(rows.map(\.platformIDs) == [[29], []])
        #expect(rows.map(\.platforms) == ["Mega Drive", "Amiga"])
        #expect(rows.map(\.shelf) == ["Beaten", ""])
        #expect(rows.map(\.releaseYear) == [2006, nil])
    }

    @Test("takes a rating's own scale from where it says one")
    func scales() throws {
        let rows = try rows(
            "name;rating\nA;4/10\nB;4.5/5\nC;100%\nD;9 out of 10\nE;3\nF;none\nG;0/5\nH;7/5\n")
        #expect(
            Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.rating?.value) })
                == ["A": 2, "B": 5, "C": 5, "D": 5, "E": 2, "F": nil, "G": nil, "H": 4])
        #expect(rows.map(\.name).first == "C")
    }

    @Test("with thousands of tags, platforms and shelves in a row is read as far as there is room")
    func crowded() throws {
        let many = (0..<12_000).map(String.init).joined(separator: ",")
        let rows = try rows("name,tags,platform,shelf\nA,\"\(many)\",\"\(many)\",\"\(many)\"\n")
        #expect(rows.map(\.name) == ["A"] && rows[0].tags == .none)
        #expect(rows[0].platforms.count <= 200 && rows[0].shelf.count <= 200)
    }

    @Test("keeps the file's order among equals")
    func order() throws {
        let rows = try rows(
            "name,rating\n"
                + (1...500).map { "\($0),\($0.isMultiple(of: 2) ? 3 : 4)" }
                .joined(separator: "\n"))
        let odd = (1...500).filter { !$0.isMultiple(of: 2) }
        let even = (1...500).filter { $0.isMultiple(of: 2) }
        #expect(rows.map(\.name) == (odd + even).map(String.init))
    }

    @Test("says of each row that can't be used why")
    func faults() throws {
        let rows = try rows("name,platform\n,PC\nA,PC,more\nB,PC,,\n\"  \",\n")
        #expect(rows.map(\.finding) == [.noName, .malformed, nil, .noName])
    }

    @Test("is cut to what a list can hold")
    func long() throws {
        let long = String(repeating: "é", count: 5000)
        let row = try #require(
            try rows(
                "name,review,status,platform,rating,tags\n\(long),\(long),\(long),\(long),5,\(long)\n"
            )
            .first)
        #expect(row.name.unicodeScalars.count == ImportedRow.textLimit)
        #expect(row.comment.text.unicodeScalars.count == Comment.limit)
        #expect(row.comment.text.hasSuffix("…"))
        #expect(row.shelf.unicodeScalars.count == ImportedRow.textLimit)
        #expect(row.platforms.unicodeScalars.count == ImportedRow.textLimit)
        #expect(row.tags == .none)
    }

    @Test("without games is refused, and it says why")
    func refused() throws {
        #expect(throws: ImportFault.noNameColumn(headings: ["id", "rating"])) {
            try rows("id,rating\n1,2\n")
        }
        #expect(throws: ImportFault.noRows) { try rows("name\n\n\n") }
        #expect(throws: CSVError(line: 1, .empty)) { try rows("") }
        let most = "name\n" + String(repeating: "x\n", count: 10_000)
        #expect(try rows(most).count == 10_000)
        #expect(throws: CSVError(line: 10_002, .tooManyRecords(limit: 10_000))) {
            try rows(most + "x\n")
        }
    }

    @Test("has no heading that two columns take")
    func headings() {
        let all = ImportColumn.allCases.flatMap(\.headings)
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { !$0.isEmpty && $0 == $0.lowercased() })
    }

    @Test("is read in time that grows with its length only, however hostile it is")
    func nesting() throws {
        let deep = String(repeating: "{\"\"a\"\":", count: 5000)
        #expect(try rows("name,platforms\nA,\"\(deep)\"\n").map(\.platforms) == [""])
        let years = String(repeating: "20", count: 5000)
        #expect(try rows("name,year,date\nA,\(years),\(years)\n").map(\.date) == [""])
    }
}
