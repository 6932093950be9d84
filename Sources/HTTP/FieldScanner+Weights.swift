import Encodings

extension FieldScanner {
    /// A token in lower case and its weight in thousandths, which is 1000 if none is given; `nil` if the
    /// element is malformed.
    mutating func weighted() -> (token: String, weight: Int)? {
        guard let token = token(), let parameters = parameters() else { return nil }
        guard let parameter = parameters.first else { return (token.lowercased(), 1000) }
        guard parameter.name == "q", parameters.count == 1,
            let weight = Self.thousandths(parameter.value)
        else { return nil }
        return (token.lowercased(), weight)
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
