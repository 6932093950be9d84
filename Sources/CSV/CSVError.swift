/// Why a text is not valid CSV, and where.
public struct CSVError: Error, Hashable, Sendable {
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
}
