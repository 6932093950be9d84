/// A media type with its parameters, as in Content-Type (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
    /// A parameter: a name in lower case, and a value.
    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The part before the slash, in lower case.
    public let type: String
    /// The part after the slash, in lower case.
    public let subtype: String
    public let parameters: [Parameter]

    /// Makes a type that is known to be well-formed. For text from elsewhere, use
    /// `init?(parsing:)`.
    public init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// Parses a Content-Type value; `nil` when it is malformed. Quoted values come out unquoted.
    public init?(parsing text: some StringProtocol) {
        let parsed = FieldScanner.scanning(text) { scanner -> MediaType? in
            scanner.skipWhiteSpace()
            guard let type = scanner.token(), scanner.skip(.slash), let subtype = scanner.token(),
                let parameters = scanner.parameters(), scanner.isAtEnd
            else { return nil }
            return MediaType(type, subtype, parameters: parameters)
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The first parameter with this name, which must be in lower case.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Whether both are the same type, regardless of parameters.
    public func isSameType(as other: MediaType) -> Bool {
        type == other.type && subtype == other.subtype
    }

    /// The type as written in a header field, with quotes around the values that need them.
    public var description: String {
        var text = "\(type)/\(subtype)"
        for parameter in parameters {
            text += "; \(parameter.name)=\(Self.quotedIfNeeded(parameter.value))"
        }
        return text
    }

    private static func quotedIfNeeded(_ value: String) -> String {
        if !value.isEmpty, value.utf8.allSatisfy(ByteSet.token.contains) { return value }
        var quoted = "\""
        // By scalars, not characters: a quote followed by a combining mark is a different
        // character.
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension MediaType {
    private static let utf8 = [Parameter(name: "charset", value: "utf-8")]

    public static let json = MediaType("application", "json")
    /// RFC 9457.
    public static let problemJSON = MediaType("application", "problem+json")
    public static let formURLEncoded = MediaType("application", "x-www-form-urlencoded")
    /// RFC 7578.
    public static let formData = MediaType("multipart", "form-data")
    /// RFC 4180.
    public static let csv = MediaType("text", "csv", parameters: utf8)
    public static let html = MediaType("text", "html", parameters: utf8)
    public static let css = MediaType("text", "css", parameters: utf8)
    public static let text = MediaType("text", "plain", parameters: utf8)
    /// RFC 9239.
    public static let javaScript = MediaType("text", "javascript", parameters: utf8)
    public static let svg = MediaType("image", "svg+xml")
    public static let png = MediaType("image", "png")
    public static let jpeg = MediaType("image", "jpeg")
    public static let icon = MediaType("image", "vnd.microsoft.icon")
    /// RFC 8081.
    public static let woff2 = MediaType("font", "woff2")
    /// RFC 7303.
    public static let xml = MediaType("application", "xml")
    /// RFC 4287.
    public static let atom = MediaType("application", "atom+xml")
    public static let webManifest = MediaType("application", "manifest+json")
}
