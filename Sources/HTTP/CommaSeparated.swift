extension String {
    /// The elements of a comma-separated list, without the white space around them. Empty elements
    /// are left out (RFC 9110 section 5.6.1.2).
    public var commaSeparated: [String] {
        utf8.split(separator: UInt8.comma).compactMap { element in
            let start = element.drop(while: \.isSpace)
            guard let end = start.lastIndex(where: { !$0.isSpace }) else { return nil }
            return String(Substring(start[...end]))
        }
    }
}

extension UInt8 {
    /// Line ends count as white space. Header fields contain none, but an operator may write a list
    /// on several lines.
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
