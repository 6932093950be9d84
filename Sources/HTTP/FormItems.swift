import Encodings

/// Names and values, in order, from a query or the body of a form
/// (`application/x-www-form-urlencoded` of the URL standard).
///
/// Parsing is stricter than in a browser. A malformed escape, a NUL and bytes that aren't UTF-8 are
/// errors instead of being replaced. More than 256 items are an error too.
public struct FormItems: Sendable {
    /// The most items that are accepted.
    public static let maximumCount = 256

    /// All items, in order.
    public let items: [(name: String, value: String)]

    /// No items.
    public init() {
        items = []
    }

    /// The parts of a form that are not files.
    public init(_ form: MultipartForm) throws(RequestError) {
        var items: [(name: String, value: String)] = []
        for part in form.parts where part.fileName == nil {
            guard !part.content.contains(0) else { throw RequestError(.escapedNull) }
            guard let value = String(validating: part.content, as: UTF8.self) else {
                throw RequestError(.invalidUTF8)
            }
            items.append((part.name, value))
        }
        self.items = items
    }

    public init(parsing text: String) throws(RequestError) {
        try self.init(parsing: Array(text.utf8))
    }

    public init(parsing body: [UInt8]) throws(RequestError) {
        items = try Self.parse(body.span)
    }

    /// The value of the first item with this name.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The values of all items with this name, in order.
    public func values(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The names, each once, in the order of their first items.
    public var names: [String] {
        var seen: Set<String> = []
        return items.map(\.name).filter { seen.insert($0).inserted }
    }

    private static func parse(
        _ bytes: Bytes
    ) throws(RequestError) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        let ampersand = UInt8(ascii: "&")
        var start = 0
        while start < bytes.count {
            let end =
                bytes.position(of: ampersand, from: start, before: bytes.count) ?? bytes.count
            // There is no item between two ampersands in a row.
            if end > start {
                guard items.count < maximumCount else { throw RequestError(.tooManyFormItems) }
                items.append(try item(bytes.part(start, end)))
            }
            start = end + 1
        }
        return items
    }

    private static func item(_ bytes: Bytes) throws(RequestError) -> (name: String, value: String) {
        let equals = bytes.position(of: .equals, from: 0, before: bytes.count)
        let name = try PercentCoding.decodeFormText(bytes.part(0, equals ?? bytes.count))
        guard let equals else { return (name, "") }
        return (name, try PercentCoding.decodeFormText(bytes.part(from: equals + 1)))
    }
}
