/// What an Accept-Encoding field asks for (RFC 9110 §12.5.3).
public struct AcceptEncoding: Sendable {
    /// The weights in thousandths; in lower case.
    private let weights: [(coding: String, weight: Int)]

    /// Parses the field's value, several fields being joined by commas.
    ///
    /// Without the field, or with one that is malformed, nothing is coded: every client can read
    /// that.
    public init(_ value: String?) {
        weights = value.flatMap { FieldScanner.scanning($0, Self.list) } ?? []
    }

    /// Whether the client takes gzip, and would not rather have the content as it is.
    public var prefersGzip: Bool {
        guard let gzip = weight("gzip") ?? weight("x-gzip") ?? weight("*"), gzip > 0 else {
            return false
        }
        return gzip >= weight("identity") ?? 0
    }

    private func weight(_ coding: String) -> Int? {
        weights.first { $0.coding == coding }?.weight
    }

    /// `nil` when it is malformed.
    private static func list(
        _ scanner: inout FieldScanner
    ) -> [(coding: String, weight: Int)]? {
        var weights: [(coding: String, weight: Int)] = []
        while true {
            scanner.skipWhiteSpace()
            // RFC 9110 §5.6.1.2: empty elements don't count.
            if scanner.next != nil, scanner.next != .comma {
                guard let coding = scanner.token(), let parameters = scanner.parameters() else {
                    return nil
                }
                var weight = 1000
                if let parameter = parameters.first {
                    guard parameter.name == "q", parameters.count == 1,
                        let parsed = AcceptHeader.thousandths(parameter.value)
                    else { return nil }
                    weight = parsed
                }
                weights.append((coding.lowercased(), weight))
            }
            if scanner.isAtEnd { return weights }
            guard scanner.skip(.comma) else { return nil }
        }
    }
}
