import Encodings

/// The codings that an Accept-Encoding field asks for (RFC 9110 §12.5.3).
public struct AcceptEncoding: Sendable {
    /// The weights in thousandths. The codings are in lower case.
    private let weights: [(coding: String, weight: Int)]

    /// Parses the field's value. Several fields must be joined by commas.
    ///
    /// Without the field, or with a malformed one, content is sent without a coding, which every
    /// client can read.
    public init(_ value: String?) {
        weights = value.flatMap { FieldScanner.scanning($0) { $0.list(Self.coding) } } ?? []
    }

    /// Whether the client accepts gzip and doesn't prefer the content without a coding.
    public var prefersGzip: Bool {
        guard let gzip = weight("gzip") ?? weight("x-gzip") ?? weight("*"), gzip > 0 else {
            return false
        }
        return gzip >= weight("identity") ?? 0
    }

    private func weight(_ coding: String) -> Int? {
        weights.first { $0.coding == coding }?.weight
    }

    private static func coding(
        _ scanner: inout FieldScanner
    ) -> (coding: String, weight: Int)? {
        guard let coding = scanner.token(), let parameters = scanner.parameters() else {
            return nil
        }
        guard let parameter = parameters.first else { return (coding.lowercased(), 1000) }
        guard parameter.name == "q", parameters.count == 1,
            let weight = thousandths(parameter.value)
        else { return nil }
        return (coding.lowercased(), weight)
    }

    /// `qvalue`, RFC 9110 §12.4.2: 0 or 1 with up to three decimals, at most 1.
    private static func thousandths(_ text: String) -> Int? {
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
