import Encodings

/// The media types that an Accept field asks for (RFC 9110 §12.5.1).
public struct AcceptHeader: Sendable {
    private struct Range {
        let type: String
        let subtype: String
        let parameters: [MediaType.Parameter]
        /// The weight in thousandths, since the grammar allows three decimals (RFC 9110 §12.4.2).
        let weight: Int

        /// How specifically the range describes the type; `nil` when the range doesn't include it.
        /// The most specific range that includes a type decides its weight.
        func specificity(for offer: MediaType) -> Int? {
            if type == "*" { return 0 }
            guard type == offer.type else { return nil }
            if subtype == "*" { return 1 }
            guard subtype == offer.subtype else { return nil }
            let isIncluded = parameters.allSatisfy { wanted in
                offer[parameter: wanted.name]?.lowercased() == wanted.value.lowercased()
            }
            return isIncluded ? 2 + parameters.count : nil
        }
    }

    private let ranges: [Range]

    /// Parses the field's value. Several fields must be joined by commas.
    ///
    /// Without the field, every type is acceptable. The same applies to a malformed field: a server
    /// may disregard it (RFC 9110 §12.5.1), and a response serves the client better than a 400.
    public init(_ value: String?) {
        let anything = Range(type: "*", subtype: "*", parameters: [], weight: 1000)
        let ranges = value.flatMap { FieldScanner.scanning($0) { $0.list(Self.range) } } ?? []
        self.ranges = ranges.isEmpty ? [anything] : ranges
    }

    /// The weight, from 0 (not acceptable) to 1000, that the client gives to a type.
    public func weight(of offer: MediaType) -> Int {
        var best = (specificity: -1, weight: 0)
        for range in ranges {
            guard let specificity = range.specificity(for: offer) else { continue }
            if specificity > best.specificity { best = (specificity, range.weight) }
        }
        return best.weight
    }

    /// The offer with the greatest weight; of several, the first. `nil` when none is acceptable:
    /// the server may then respond with 406, or send the first offer regardless.
    public func preferred(among offers: [MediaType]) -> MediaType? {
        var best: (offer: MediaType, weight: Int)?
        for offer in offers {
            let weight = weight(of: offer)
            if weight > best?.weight ?? 0 { best = (offer, weight) }
        }
        return best?.offer
    }

    private static func range(_ scanner: inout FieldScanner) -> Range? {
        guard let type = scanner.token()?.lowercased(), scanner.skip(.slash),
            let subtype = scanner.token()?.lowercased(), type != "*" || subtype == "*",
            var parameters = scanner.parameters()
        else { return nil }
        var weight = 1000
        // RFC 9110 §12.4.2: the parameters of the media range end at "q".
        if let index = parameters.firstIndex(where: { $0.name == "q" }) {
            guard let parsed = thousandths(parameters[index].value) else { return nil }
            weight = parsed
            parameters.removeSubrange(index...)
        }
        return Range(type: type, subtype: subtype, parameters: parameters, weight: weight)
    }

    /// `qvalue`: 0 or 1 with up to three decimals, at most 1.
    static func thousandths(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == 0x30 || first == 0x31, bytes.count <= 5 else {
            return nil
        }
        guard bytes.count == 1 || bytes[1] == .dot else { return nil }
        var value = Int(first - 0x30) * 1000
        var unit = 100
        for digit in bytes.dropFirst(2) {
            guard digit.isASCIIDigit else { return nil }
            value += Int(digit - 0x30) * unit
            unit /= 10
        }
        return value <= 1000 ? value : nil
    }
}
