/// The value of If-Match and If-None-Match (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagList: Sendable, Hashable {
    /// `*`: any representation, as long as there is one.
    case any
    case tags([EntityTag])

    /// Parses the field's value; `nil` when it is malformed or names no tag. Several fields must be
    /// joined by commas.
    public init?(parsing text: some StringProtocol) {
        guard let list = FieldScanner.scanning(text, Self.list) else { return nil }
        self = list
    }

    private static func list(_ scanner: inout FieldScanner) -> EntityTagList? {
        scanner.skipWhiteSpace()
        if scanner.skip(.asterisk) {
            scanner.skipWhiteSpace()
            return scanner.isAtEnd ? .any : nil
        }
        guard let tags = scanner.list({ EntityTag(from: &$0) }), !tags.isEmpty else { return nil }
        return .tags(tags)
    }
}
