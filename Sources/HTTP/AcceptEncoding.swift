/// What an Accept-Encoding field asks for (RFC 9110 §12.5.3).
public struct AcceptEncoding: Sendable {
    /// The weights in thousandths. The codings are in lower case.
    private let weights: [(coding: String, weight: Int)]

    /// Parses the field's value. Several fields must be joined by commas.
    ///
    /// Without the field, or with a malformed one, content is sent without a coding, which every
    /// client can read.
    public init(_ value: String?) {
        weights = value.flatMap { FieldScanner.scanning($0, Self.list) } ?? []
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

    /// The codings in a list with their weights; `nil` when the list is malformed.
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
