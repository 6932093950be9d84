/// The codings that an Accept-Encoding field asks for (RFC 9110 §12.5.3).
public struct AcceptEncoding: Sendable {
    /// The weights in thousandths. The codings are in lower case.
    private let weights: [(token: String, weight: Int)]

    /// Parses the field's value. Several fields must be joined by commas.
    ///
    /// Without the field, or with a malformed one, content is sent without a coding, which every
    /// client can read.
    public init(_ value: String?) {
        weights = value.flatMap { FieldScanner.scanning($0) { $0.list { $0.weighted() } } } ?? []
    }

    /// Whether the client accepts gzip and doesn't prefer the content without a coding.
    public var prefersGzip: Bool {
        guard let gzip = weight("gzip") ?? weight("x-gzip") ?? weight("*"), gzip > 0 else {
            return false
        }
        return gzip >= weight("identity") ?? 0
    }

    private func weight(_ coding: String) -> Int? {
        weights.first { $0.token == coding }?.weight
    }
}
