/// Why a text is not valid CSV, and where.
public struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case empty
        case workbook
        case notUTF8
        case unknownEncoding
        case hasNUL
        case unclosedQuote
        case textAfterQuote
        case tooManyColumns(limit: Int)
        case fieldTooLong(limit: Int)
        case recordTooLong(limit: Int)
        case tooManyRecords(limit: Int)
    }

    /// The line of the error, from 1; for an unclosed quote, the line of that quote.
    public let line: Int
    public let reason: Reason

    public init(line: Int, _ reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .empty: "The file is empty."
        case .workbook:
            "The file is a spreadsheet’s workbook. Save it as “CSV UTF-8”, and choose that file."
        case .unknownEncoding:
            "The file is not UTF-8. Save it as “CSV UTF-8”, and try again."
        case .notUTF8:
            "Line \(line): this isn’t UTF-8. Save the file as “CSV UTF-8”, and try again."
        case .hasNUL:
            "Line \(line): there is a NUL character, so this isn’t a CSV file in UTF-8."
        case .unclosedQuote: "Line \(line): the quotation mark that opens here is never closed."
        case .textAfterQuote:
            "Line \(line): there is text after a closing quotation mark. A quotation mark inside of "
                + "quotation marks must be doubled."
        case .tooManyColumns(let limit):
            "Line \(line): there are more than \(limit) columns."
        case .fieldTooLong(let limit):
            "Line \(line): a field is longer than \(limit) bytes."
        case .recordTooLong(let limit):
            "Line \(line): the row is longer than \(limit) bytes."
        case .tooManyRecords(let limit):
            "Line \(line): there are more than \(limit) rows. Split the file, or leave out what you "
                + "don’t need."
        }
    }
}
