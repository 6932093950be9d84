import ApicalypseParser
import Testing

@testable import IGDB

@Suite("A query in Apicalypse")
struct ApicalypseTests {
    /// What the server reads of a text that stands in each place that a user's text can stand in.
    private func read(_ text: String) throws -> [String] {
        let base = Apicalypse().fields(["name", "cover.image_id"]).limit(7)
        let queries = [
            base.search(text), base.whereEqual("name", text), base.whereContains("slug", text),
        ]
        let texts = queries.map(\.text)
        let named = queries.map { (endpoint: "games", name: "n\(text)", query: $0) }
        // Alone, and among others.
        var read = try texts.map(ApicalypseParser.parse)
        for query in named {
            let parsed = try ApicalypseParser.parseMultiquery(Apicalypse.multiquery([query]))
            try #require(parsed.count == 1)
            #expect(parsed[0].endpoint == "games")
            read.append(parsed[0].query)
        }
        return try read.map { query in
            #expect(query.fields == ["name", "cover.image_id"])
            #expect(query.limit == 7)
            #expect(query.sort == nil)
            switch (query.search, query.condition) {
            case (let search?, nil): return search
            case (nil, .comparison("name", .like, .text(let text, anyStart: false, anyEnd: false))):
                return text
            case (nil, .comparison("slug", .like, .text(let text, anyStart: true, anyEnd: true))):
                return text
            default: throw QueryError("unexpected: \(query)")
            }
        }
    }

    /// A blank for each character that is not seen.
    private func expected(_ text: String) -> [UInt8] {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: result.append(" ")
            default: result.append(scalar)
            }
        }
        return Array(String(result).utf8)
    }

    private func expectHarmless(_ text: String) throws {
        for read in try read(text) { #expect(Array(read.utf8) == expected(text)) }
    }

    @Test("holds every byte in a string, which it cannot end")
    func everyByte() throws {
        for byte in UInt8.min...UInt8.max {
            let character = String(decoding: [byte], as: UTF8.self)
            for text in [
                character, "a\(character)", "\(character)a", "\\\(character)", "\(character)\"",
                "\(character); fields *; limit 500;", "\"\(character) }; query games \"x\" {",
            ] {
                try expectHarmless(text)
            }
        }
    }

    @Test("holds every character that there is in a string, which it cannot end")
    func everyCharacter() throws {
        var categories: Set<Unicode.GeneralCategory> = []
        var text = String.UnicodeScalarView()
        var count = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            categories.insert(scalar.properties.generalCategory)
            text.append(scalar)
            count += 1
            if count % 6144 == 0 || value == 0x10FFFF {
                let query = Apicalypse().search(String(text)).limit(3).text
                let read = try ApicalypseParser.parse(query)
                #expect(read.search.map { Array($0.utf8) } == expected(String(text)))
                #expect(read.limit == 3)
                text = .init()
            }
        }
        #expect(count == 0x110000 - 0x800)
        // All but surrogates, which no text holds.
        #expect(categories.count == 29)
    }

    @Test(
        "holds what would change its meaning as text",
        arguments: [
            "\"", "\\", "\\\"", "\"\\", "\\\\\"", "\"; limit 500; search \"", "\";", "; limit 1;",
            "*", "\"*", "*\"", "\" | id > 0 | name = \"", "\"} ; query games \"x\" { fields *; } ;",
            "\n; fields *;\n", "\r\n\";", "\u{2028}\";", "\u{0}\";", "%22; limit 1;", "\\u0022;",
            "＂; limit 1;", "“; limit 1;", "\u{202E}\";", "e\u{301}\"", "\"\u{301}; limit 1;",
            "\\\u{301}", "",
        ])
    func attacks(_ text: String) throws {
        try expectHarmless(text)
    }

    @Test("asks for no more rows than IGDB gives")
    func limit() throws {
        #expect(try ApicalypseParser.parse(Apicalypse().limit(501).text).limit == 500)
        #expect(try ApicalypseParser.parse(Apicalypse().limit(3).text).limit == 3)
    }

    @Test("names ids, an order, and several queries by their names")
    func parts() throws {
        let ids = Apicalypse().fields(["name"]).whereID(in: [3, 5])
        let sorted = Apicalypse().whereEqual("name", "x").sort(descending: "total_rating_count")
        let read = try ApicalypseParser.parseMultiquery(
            Apicalypse.multiquery([("games", "a", ids), ("platforms", "b", sorted)]))
        #expect(read.map(\.name) == ["a", "b"])
        #expect(read.map(\.endpoint) == ["games", "platforms"])
        #expect(read[0].query.condition == .comparison(field: "id", .equal, .list([3, 5])))
        #expect(read[1].query.sort?.field == "total_rating_count")
        #expect(read[1].query.sort?.isDescending == true)
    }
}

@Suite("The parser of the stand-in")
struct ApicalypseParserTests {
    @Test(
        "refuses what is no query",
        arguments: [
            "fields name", "fields;", "fields name,;", "nonsense x;", "limit -1;", "limit x;",
            "fields name; fields slug;", "search \"a;", "search \"a\\n\";", "search \"a\nb\";",
            "where id;", "where id = ;", "where id = (1,;", "where (id = 1;", "where id = 1 &;",
            "sort name sideways;", "}", ";", "fields name; }", "offset;",
        ])
    func refused(_ text: String) {
        #expect(throws: QueryError("Syntax Error")) { try ApicalypseParser.parse(text) }
    }

    @Test("refuses in IGDB's words")
    func words() {
        #expect(
            throws: QueryError(
                "Syntax Error",
                cause: "Expecting a STRING as input, surround your input with quotes starting at "
                    + "'Diablo'")
        ) { try ApicalypseParser.parse("search Diablo;") }
        #expect(
            throws: QueryError(
                "Request limit to high", status: 403,
                cause: "You typed in 501 as limit but your maximum is 500")
        ) { try ApicalypseParser.parse("limit 501;") }
        #expect {
            try ApicalypseParser.parse("search \"a\"; sort name asc;")
        } throws: { ($0 as? QueryError)?.status == 406 }
    }

    @Test("reads conditions, of which & binds closer than |")
    func conditions() throws {
        let query = try ApicalypseParser.parse(
            "where a = 1 | b != null & (c ~ *\"x\"* | d >= -2) & e.f = \"y\"*;")
        #expect(
            query.condition
                == .any([
                    .comparison(field: "a", .equal, .number(1)),
                    .all([
                        .comparison(field: "b", .notEqual, .null),
                        .any([
                            .comparison(
                                field: "c", .like, .text("x", anyStart: true, anyEnd: true)),
                            .comparison(field: "d", .greaterOrEqual, .number(-2)),
                        ]),
                        .comparison(
                            field: "e.f", .equal, .text("y", anyStart: false, anyEnd: true)),
                    ]),
                ]))
    }

    @Test("reads several queries, none of which may be broken")
    func multiquery() throws {
        let text = "query games \"a\" { fields *; };\nquery platforms \"b\" {limit 1;};"
        #expect(try ApicalypseParser.parseMultiquery(text).map(\.name) == ["a", "b"])
        for broken in ["", "query games \"a\" { fields * };", "query games \"a\" {}", text + "x"] {
            #expect(throws: QueryError.self) { try ApicalypseParser.parseMultiquery(broken) }
        }
    }
}
