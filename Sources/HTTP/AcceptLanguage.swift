/// The languages that an Accept-Language field asks for (RFC 9110 §12.5.4).
public struct AcceptLanguage: Sendable {
    /// The ranges in lower case, with the preferred ones first. Without "*", which a look-up ignores.
    private let ranges: [String]
    /// The ranges that are not acceptable.
    private let refused: [String]

    /// The most bytes of a value that is read. Browsers send about fifty.
    public static let limit = 1000

    /// Parses the field's value. Several fields must be joined by commas.
    ///
    /// A malformed value, or one that is too long, asks for nothing.
    public init(_ value: String?) {
        guard let value, value.utf8.count <= Self.limit,
            let list = FieldScanner.scanning(value, { $0.list { $0.weighted() } })
        else {
            ranges = []
            refused = []
            return
        }
        ranges = list.enumerated()
            .filter { $0.element.weight > 0 && $0.element.token != "*" }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.token)
        refused = list.filter { $0.weight == 0 }.map(\.token)
    }

    /// Finds the language that suits best (RFC 4647 §3.4): that of the first range that is known, if need
    /// be without some of its last subtags.
    ///
    /// - Parameter languages: Each language by its tag and by other ranges that it suits, in lower case;
    ///   `nil` by a range that no language suits, although a shorter range is known.
    /// - Returns: `nil` if none suits.
    public func lookUp<Language: Equatable>(among languages: [String: Language?]) -> Language? {
        let refused = refused.compactMap { languages[$0] ?? nil }
        for range in ranges {
            var range = Substring(range)
            while true {
                if let known = languages[String(range)] {
                    guard let known, !refused.contains(known) else { break }
                    return known
                }
                guard let hyphen = range.lastIndex(of: "-") else { break }
                range = range[..<hyphen]
            }
        }
        return nil
    }
}
