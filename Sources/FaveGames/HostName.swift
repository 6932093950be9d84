import Encodings

/// The names of hosts in ASCII (RFC 1123 section 2.1), without a dot at the end.
public enum HostName {
    /// The most bytes of a name, and of each label between its dots (RFC 1035 section 2.3.4).
    static let limit = 253
    static let labelLimit = 63

    /// Whether the text has the form of a name. An IPv4 address also has this form.
    public static func isValid(_ text: Substring) -> Bool {
        text.utf8.count <= limit
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { label in
                    (1...labelLimit).contains(label.count) && label.first != UInt8(ascii: "-")
                        && label.last != UInt8(ascii: "-")
                        && label.allSatisfy {
                            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                        }
                }
    }
}
