import Encodings
public import Foundation

/// A value bound to a parameter of a statement.
///
/// Values are sent as text, which PostgreSQL converts to the parameter's type. So the same integer
/// suits both a `smallint` and a `bigint`.
public struct PostgresParameter: Hashable, Sendable, ExpressibleByNilLiteral,
    ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    /// The value in PostgreSQL's input syntax, `nil` for NULL. Contains no NUL.
    let text: String?

    private init(text: String?) { self.text = text }

    /// The value's approximate size in memory, in bytes.
    public var size: Int { 32 + (text?.utf8.count ?? 0) }

    /// Compares byte by byte. Swift considers some texts equal that PostgreSQL does not, such as é
    /// and e followed by a combining accent.
    public static func == (a: PostgresParameter, b: PostgresParameter) -> Bool {
        switch (a.text, b.text) {
        case (nil, nil): true
        case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    public static func text(_ value: String?) -> PostgresParameter {
        // PostgreSQL's text can't contain NUL, and libpq would silently truncate the value there.
        PostgresParameter(
            text: value.map { $0.utf8.contains(0) ? $0.replacing("\0", with: "") : $0 })
    }

    public static func int(_ value: Int?) -> PostgresParameter {
        PostgresParameter(text: value.map { String($0) })
    }

    public static func bool(_ value: Bool?) -> PostgresParameter {
        PostgresParameter(text: value.map { $0 ? "t" : "f" })
    }

    /// Bytes, in the hexadecimal format of section 8.4.1 of the manual.
    public static func bytes(_ value: some Sequence<UInt8>) -> PostgresParameter {
        PostgresParameter(text: "\\x" + Hexadecimal.encode(value))
    }

    /// An array of such values.
    public static func byteStrings(_ values: [[UInt8]]) -> PostgresParameter {
        texts(values.map { "\\x" + Hexadecimal.encode($0) })
    }

    public static func uuid(_ value: UUID?) -> PostgresParameter {
        PostgresParameter(text: value?.text)
    }

    public static func ints(_ values: some Sequence<Int>) -> PostgresParameter {
        PostgresParameter(text: "{" + values.map(String.init).joined(separator: ",") + "}")
    }

    public static func uuids(_ values: some Sequence<UUID>) -> PostgresParameter {
        PostgresParameter(text: "{" + values.map(\.text).joined(separator: ",") + "}")
    }

    /// An array in the syntax of section 8.15.2 of the manual: every element in double quotes.
    public static func texts(_ values: some Sequence<String?>) -> PostgresParameter {
        var list: [UInt8] = []
        for value in values {
            if let value { append(value.utf8, to: &list) } else { list += "NULL,".utf8 }
        }
        return PostgresParameter(list, between: "{", and: "}")
    }

    /// An array of a composite type, whose fields have these values, in the syntax of section 8.16.6
    /// of the manual.
    public static func rows(_ rows: some Sequence<[PostgresParameter]>) -> PostgresParameter {
        texts(
            rows.map { fields in
                var list: [UInt8] = []
                for field in fields {
                    if let text = field.text {
                        append(text.utf8, to: &list)
                    } else {
                        list += ",".utf8
                    }
                }
                return PostgresParameter(list, between: "(", and: ")").text
            })
    }

    /// Appends a text in double quotes, as in arrays and composite types, and a comma.
    private static func append(_ text: String.UTF8View, to list: inout [UInt8]) {
        list.append(UInt8(ascii: "\""))
        for byte in text where byte != 0 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                list.append(UInt8(ascii: "\\"))
            }
            list.append(byte)
        }
        list += "\",".utf8
    }

    /// - Parameter list: Elements, each with a comma after it.
    private init(_ list: [UInt8], between start: String, and end: String) {
        text = start + String(decoding: list.dropLast(), as: UTF8.self) + end
    }

    public init(nilLiteral: ()) { self.init(text: nil) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
