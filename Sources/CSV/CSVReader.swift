/// Reads CSV as RFC 4180 describes it, record by record.
///
/// The reader is strict where two programs could read a text differently, and lenient where they
/// can't: lines may end in CR LF, LF or CR, fields are separated by commas, semicolons or tabs, and
/// a quotation mark inside an unquoted field is a character like any other. Empty lines are
/// skipped. So are records of empty fields before the names of the columns, and a first line such as
/// `sep=;`, which tells spreadsheets the separator. It does no I/O, and takes time in proportion to the
/// length.
public struct CSVReader: Sendable {
    /// The largest input that is accepted.
    public struct Limits: Sendable {
        /// Without the first record, which holds the names of the columns.
        public var records: Int
        public var columns: Int
        /// In bytes of UTF-8.
        public var field: Int
        public var record: Int

        public init(
            records: Int = 10_000, columns: Int = 200, field: Int = 65_536, record: Int = 262_144
        ) {
            self.records = records
            self.columns = columns
            self.field = field
            self.record = record
        }
    }

    public struct Record: Hashable, Sendable {
        /// The record's first line, from 1.
        public let line: Int
        public let fields: [String]
    }

    /// The names of the columns, from the first record.
    public private(set) var header: [String] = []

    private let bytes: [UInt8]
    private let limits: Limits
    private let separator: UInt8
    private var index: Int
    private var line = 1
    private var count = -1

    /// Reads the first record.
    ///
    /// - Parameter bytes: UTF-8, with or without a byte order mark, or UTF-16 with one.
    /// - Throws: `CSVError`.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(CSVError) {
        self.limits = limits
        guard !Self.isWorkbook(bytes) else { throw CSVError(line: 1, .workbook) }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self.bytes = try Self.decodeUTF16(bytes)
            index = 0
        } else {
            self.bytes = bytes
            index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }
        if let declared = Self.declaredSeparator(self.bytes[index...]) {
            separator = declared.byte
            index = declared.end
            skipLineEnd()
        } else {
            separator = Self.separator(self.bytes[index...].prefix(limits.record))
        }
        repeat {
            count = -1
            guard let first = try next() else { throw CSVError(line: 1, .empty) }
            header = first.fields
        } while header.allSatisfy(\.isEmpty)
    }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: `CSVError`. Don't read further after an error.
    public mutating func next() throws(CSVError) -> Record? {
        skipEmptyLines()
        guard index < bytes.count else { return nil }
        guard count < limits.records else {
            throw CSVError(line: line, .tooManyRecords(limit: limits.records))
        }
        count += 1
        let first = line
        let start = index
        var fields: [String] = []
        fields.reserveCapacity(max(header.count, 8))
        while true {
            guard fields.count < limits.columns else {
                throw CSVError(line: line, .tooManyColumns(limit: limits.columns))
            }
            fields.append(try field())
            guard index - start <= limits.record else {
                throw CSVError(line: first, .recordTooLong(limit: limits.record))
            }
            guard index < bytes.count, bytes[index] == separator else { break }
            index += 1
        }
        skipLineEnd()
        return Record(line: first, fields: fields)
    }

    // MARK: Fields

    private mutating func field() throws(CSVError) -> String {
        if index < bytes.count, bytes[index] == .quote { return try quotedField() }
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            if byte == separator || byte == .lineFeed || byte == .carriageReturn { break }
            guard byte != 0 else { throw CSVError(line: line, .hasNUL) }
            index += 1
            guard index - start <= limits.field else {
                throw CSVError(line: line, .fieldTooLong(limit: limits.field))
            }
        }
        return try text(bytes[start..<index], on: line)
    }

    private mutating func quotedField() throws(CSVError) -> String {
        let first = line
        var content: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == .quote {
                guard index < bytes.count, bytes[index] == .quote else {
                    guard isAtEndOfField else { throw CSVError(line: line, .textAfterQuote) }
                    return try text(content[...], on: first)
                }
                index += 1
            }
            if byte == .lineFeed || byte == .carriageReturn && !hasLineFeed { line += 1 }
            guard byte != 0 else { throw CSVError(line: line, .hasNUL) }
            content.append(byte)
            guard content.count <= limits.field else {
                throw CSVError(line: first, .fieldTooLong(limit: limits.field))
            }
        }
        throw CSVError(line: first, .unclosedQuote)
    }

    private func text(_ bytes: ArraySlice<UInt8>, on line: Int) throws(CSVError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CSVError(line: line, .notUTF8)
        }
        return text
    }

    // MARK: Ends

    private var isAtEndOfField: Bool {
        guard index < bytes.count else { return true }
        return [separator, .lineFeed, .carriageReturn].contains(bytes[index])
    }

    /// Whether the next byte is a line feed, which belongs to the carriage return before it.
    private var hasLineFeed: Bool { index < bytes.count && bytes[index] == .lineFeed }

    private mutating func skipLineEnd() {
        guard index < bytes.count else { return }
        let byte = bytes[index]
        guard byte == .lineFeed || byte == .carriageReturn else { return }
        index += 1
        if byte == .carriageReturn, hasLineFeed { index += 1 }
        line += 1
    }

    private mutating func skipEmptyLines() {
        while index < bytes.count, bytes[index] == .lineFeed || bytes[index] == .carriageReturn {
            skipLineEnd()
        }
    }

    // MARK: Before the first record

    /// Whether a file is a spreadsheet's own: a ZIP archive of Excel, LibreOffice or Numbers, a compound
    /// file of an older Excel, or XML or HTML, which Excel opens as well.
    private static func isWorkbook(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04])
            || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0])
        {
            return true
        }
        let start = String(decoding: bytes.prefix(40), as: UTF8.self)
            .trimmingPrefix { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
        return ["<?xml", "<html", "<!doctype", "<table"].contains { start.hasPrefix($0) }
    }

    /// The separator that a first line such as `sep=;` declares, and the place where the line ends.
    /// Spreadsheets that save such a file again add separators to the line, or quotation marks.
    private static func declaredSeparator(_ start: ArraySlice<UInt8>) -> (byte: UInt8, end: Int)? {
        let line = start.prefix(300).prefix { $0 != .lineFeed && $0 != .carriageReturn }
        let declaration = line.first == .quote ? line.dropFirst() : line
        guard declaration.count >= 5,
            String(decoding: declaration.prefix(4), as: UTF8.self).lowercased() == "sep=",
            case let byte = declaration[declaration.startIndex + 4], byte < 0x80, byte != .quote,
            !Character(Unicode.Scalar(byte)).isLetter,
            declaration.dropFirst(5).allSatisfy({ $0 == byte || $0 == .quote })
        else { return nil }
        return (byte, line.endIndex)
    }

    /// The most frequent separator in the first line, outside quotation marks: a comma, a semicolon
    /// or a tab.
    private static func separator(_ start: ArraySlice<UInt8>) -> UInt8 {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        var counts = [0, 0, 0]
        var isQuoted = false
        var hasText = false
        for byte in start {
            if byte == .quote { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == .lineFeed || byte == .carriageReturn {
                if hasText { break }
                continue
            }
            hasText = true
            if let kind = separators.firstIndex(of: byte) { counts[kind] += 1 }
        }
        let most = counts.max() ?? 0
        return separators[counts.firstIndex(of: most) ?? 0]
    }

    /// - Parameter bytes: UTF-16 that begins with a byte order mark.
    private static func decodeUTF16(_ bytes: [UInt8]) throws(CSVError) -> [UInt8] {
        let isLittle = bytes[0] == 0xFF
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 2, to: bytes.count - 1, by: 2) {
            let pair = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
        else { throw CSVError(line: 1, .unknownEncoding) }
        return Array(text.utf8)
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
