import Testing

@testable import CSV

@Suite("A CSV file")
struct CSVReaderTests {
    private func read(
        _ bytes: [UInt8], _ limits: CSVReader.Limits = .init()
    ) throws -> [[String]] {
        var reader = try CSVReader(bytes, limits: limits)
        var records = [reader.header]
        while let record = try reader.next() { records.append(record.fields) }
        return records
    }

    private func read(
        _ text: String, _ limits: CSVReader.Limits = .init()
    ) throws -> [[String]] { try read(Array(text.utf8), limits) }

    private func error(
        _ bytes: [UInt8], _ limits: CSVReader.Limits = .init()
    ) -> CSVError? {
        #expect(throws: CSVError.self) { try read(bytes, limits) }
    }

    private func error(_ text: String, _ limits: CSVReader.Limits = .init()) -> CSVError? {
        error(Array(text.utf8), limits)
    }

    @Test("is read with quotation marks, separators and line ends inside of fields")
    func fields() throws {
        #expect(
            try read("a,b\r\n\"x, y\",\"he said \"\"no\"\"\"\r\n\"two\r\nlines\",\r\n")
                == [["a", "b"], ["x, y", "he said \"no\""], ["two\r\nlines", ""]])
        #expect(try read("a\n5\" disk\n") == [["a"], ["5\" disk"]])
        #expect(try read("a,b\n,\n") == [["a", "b"], ["", ""]])
    }

    @Test("may end its lines in any way, and have empty ones", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(_ end: String) throws {
        let expected = [["a", "b"], ["1", "2"], ["3"]]
        #expect(try read(["a,b", "1,2", "3"].joined(separator: end)) == expected)
        #expect(
            try read(["", "a,b", "", "", "1,2", "3", "", ""].joined(separator: end)) == expected)
    }

    @Test("may have commas, semicolons or tabs", arguments: [",", ";", "\t"])
    func separators(_ separator: String) throws {
        let header = ["\"a,;\t\"", "b", "c"].joined(separator: separator)
        #expect(try read(header + "\n1\(separator)2")[1] == ["1", "2"])
        #expect(try read(header)[0] == ["a,;\t", "b", "c"])
    }

    @Test("may be UTF-8 with or without a mark, or UTF-16 with one")
    func encodings() throws {
        let text = "name\nPokémon 🎮\n"
        let expected = [["name"], ["Pokémon 🎮"]]
        #expect(try read(text) == expected)
        #expect(try read([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == expected)
        let units = Array(text.utf16)
        #expect(
            try read([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
                == expected)
        #expect(
            try read([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
                == expected)
        #expect(error([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00])?.reason == .unknownEncoding)
        #expect(error([0xFF, 0xFE, 0x61])?.reason == .unknownEncoding)
    }

    @Test(
        "may declare its separator for spreadsheets",
        arguments: [
            "sep=;", "SEP=;", "\"sep=;\"", "sep=;;;", "\"sep=;\";;", "\u{FEFF}sep=;", "sep=|",
            "sep=,",
        ], ["\n", "\r\n", "\r"])
    func declaration(line: String, end: String) throws {
        let separator = try #require(line.first { ";|,".contains($0) }).description
        let rows = [line, ["a", "b,;|\t"].map { "\"\($0)\"" }.joined(separator: separator), "1"]
        #expect(try read(rows.joined(separator: end)) == [["a", "b,;|\t"], ["1"]])
        var reader = try CSVReader(Array(rows.joined(separator: end).utf8))
        #expect(try reader.next()?.line == 3)
    }

    @Test("has a separator that is declared only if the first line says nothing else")
    func noDeclaration() throws {
        #expect(try read("sep=;x,b\n1,2") == [["sep=;x", "b"], ["1", "2"]])
        #expect(try read("sep=\n1") == [["sep="], ["1"]])
        #expect(try read("a;b\nsep=,\n1;2") == [["a", "b"], ["sep=,"], ["1", "2"]])
    }

    @Test("has the names of its columns in the first row with text")
    func emptyRows() throws {
        let limits = CSVReader.Limits(records: 1)
        #expect(
            try read(";;\r\n\"\";;\r\nname;b;\r\n1;2;", limits) == [
                ["name", "b", ""], ["1", "2", ""],
            ])
        #expect(error(",,\n,,\n") == CSVError(line: 1, .empty))
    }

    @Test(
        "is no workbook",
        arguments: [
            [0x50, 0x4B, 0x03, 0x04, 0x14, 0, 6, 0],
            [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
            Array("<?xml version=\"1.0\"?><Workbook>".utf8),
            Array("\u{FEFF}\r\n<!DOCTYPE html>".utf8),
            Array("<table><tr>".utf8),
        ])
    func workbook(bytes: [UInt8]) {
        #expect(error(bytes) == CSVError(line: 1, .workbook))
    }

    @Test("that is hostile is refused, and it says on which line")
    func hostile() {
        #expect(error("") == CSVError(line: 1, .empty))
        #expect(error("\r\n\r\n") == CSVError(line: 1, .empty))
        #expect(error([0xEF, 0xBB, 0xBF]) == CSVError(line: 1, .empty))
        #expect(error("a\nb\nc\0") == CSVError(line: 3, .hasNUL))
        #expect(error("a\n\"b\nc\0\"") == CSVError(line: 3, .hasNUL))
        #expect(
            error("a\n".utf8.flatMap { [$0, 0] }) == CSVError(line: 1, .hasNUL))
        #expect(error(Array("a\nb\n".utf8) + [0xC3, 0x28]) == CSVError(line: 3, .notUTF8))
        #expect(error([0x89, 0x50, 0x4E, 0x47]) == CSVError(line: 1, .notUTF8))
        #expect(error("a\n\n\"b\nc\nd") == CSVError(line: 3, .unclosedQuote))
        #expect(error("a\n\"b\"c") == CSVError(line: 2, .textAfterQuote))
        #expect(error("a\n\"b\" ,c") == CSVError(line: 2, .textAfterQuote))
    }

    @Test("is read up to each limit, and no further")
    func limits() throws {
        let limits = CSVReader.Limits(records: 2, columns: 3, field: 4, record: 12)
        #expect(try read("a,b,c\n1234,1234,1\n2", limits).count == 3)
        #expect(error("a,b,c,d", limits) == CSVError(line: 1, .tooManyColumns(limit: 3)))
        #expect(error("a\n1\n2\n3", limits) == CSVError(line: 4, .tooManyRecords(limit: 2)))
        #expect(error("a\n12345", limits) == CSVError(line: 2, .fieldTooLong(limit: 4)))
        #expect(error("a\n\"12345\"", limits) == CSVError(line: 2, .fieldTooLong(limit: 4)))
        #expect(
            error("a,b,c\n1234,1234,1234", limits) == CSVError(line: 2, .recordTooLong(limit: 12)))
        let million = String(repeating: ",", count: 1_000_000)
        #expect(error(million) == CSVError(line: 1, .tooManyColumns(limit: 200)))
        let long = "a\n" + String(repeating: "x", count: 5_000_000)
        #expect(error(long) == CSVError(line: 2, .fieldTooLong(limit: 65_536)))
        let quotes = "a\n" + String(repeating: "\"", count: 1_000_001)
        #expect(error(quotes) == CSVError(line: 2, .fieldTooLong(limit: 65_536)))
    }

    @Test("that a writer has written comes back as it was, whatever is in it")
    func roundTrip() throws {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ab,;\t\"\n\r='+-@ é🎮")
        for _ in 0..<500 {
            let width = Int.random(in: 2...5, using: &random)
            let records = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (0..<width).map { _ in
                    String(
                        (0..<Int.random(in: 0...6, using: &random)).map { _ in
                            alphabet.randomElement(using: &random) ?? "a"
                        })
                }
            }
            var writer = CSVWriter()
            for record in records { writer.record(record) }
            // The first line says what the separator is, unless its fields have more of another one.
            var header = CSVWriter()
            header.record(Array(repeating: "h", count: width))
            let read = try read(header.bytes + writer.bytes.dropFirst(3)).dropFirst()
            #expect(read.map { $0.map { CSVWriter.restored($0) } } == records)
            for field in read.joined() {
                #expect(!["=", "+", "-", "@", "\t", "\r"].contains(field.unicodeScalars.first))
            }
        }
    }

    @Test("that has been damaged is read or refused, and never stops the program")
    func mutations() throws {
        let file = Array(
            "\u{FEFF}name,why,rating\r\n\"Portal\",\"He said \"\"why\"\"\r\nand so on\",5\r\nÔkami,,\r\n"
                .utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 2: bytes[place] = [0, 0x22, 0x0A, 0x0D, 0x2C, 0xFF].randomElement() ?? 0
                default: bytes = Array(bytes[..<max(place, 1)])
                }
            }
            guard var reader = try? CSVReader(bytes) else { continue }
            var last = 1
            while let record = try? reader.next() {
                #expect(record.line > last)
                #expect((1...200).contains(record.fields.count))
                last = record.line
            }
        }
    }
}

@Suite("A formula")
struct FormulaTests {
    @Test(
        "is no formula in a file of ours",
        arguments: [
            "=HYPERLINK(\"https://evil.example\")", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1",
            "''@x", "=",
        ])
    func neutralised(_ text: String) {
        let field = CSVWriter.neutralised(text)
        #expect(field == "'" + text)
        #expect(CSVWriter.restored(field) == text)
    }

    @Test(
        "is not seen where there is none",
        arguments: ["", "Portal", "'n Sync", "5-a-side", "a=b", "'"])
    func others(_ text: String) {
        #expect(CSVWriter.neutralised(text) == text)
        #expect(CSVWriter.restored(text) == text)
    }
}
