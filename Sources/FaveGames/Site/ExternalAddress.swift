/// Where a link of the operator's leads: to a page by http or https, or to someone's mail.
public enum ExternalAddress: Hashable, Sendable {
    case web(String)
    case mail(MailAddress)

    /// The most bytes of an address.
    static let limit = 1000

    /// Reads an address that begins with `https://`, `http://` or `mailto:`.
    ///
    /// - Returns: `nil` for any other address, and for one that must be escaped before it can be used.
    public init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        if scheme == "mailto" {
            guard let address = MailAddress(String(text.dropFirst("mailto:".count))) else {
                return nil
            }
            self = .mail(address)
        } else {
            let start = scheme + "://"
            guard ["http", "https"].contains(scheme), text.lowercased().hasPrefix(start),
                (start.utf8.count + 1...Self.limit).contains(text.utf8.count),
                text.unicodeScalars.allSatisfy(Self.isAllowed)
            else { return nil }
            self = .web(text)
        }
    }

    /// Whether a character may be in an address. Letters of all scripts may: browsers escape them.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else {
            return !scalar.properties.isWhitespace && OneLine.isVisible(String(scalar))
        }
        return (0x21...0x7E).contains(scalar.value)
            && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
    }

    /// The address as someone would say it: without its scheme.
    public var text: String {
        switch self {
        case .mail(let address): address.description
        case .web(let address):
            String(address.drop { $0 != "/" }.dropFirst(2).trimmingSuffix { $0 == "/" })
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
        self[..<(lastIndex { !isTrimmed($0) }.map(index(after:)) ?? startIndex)]
    }
}
