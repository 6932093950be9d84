import Encodings

/// An email address, such as `jane.doe@example.com`: the part of RFC 5321 section 4.1.2 that is in
/// use.
///
/// Left out, because no public provider hands them out and each makes an address harder to handle
/// safely: quoted local parts and comments, which may hold spaces and `@`; addresses of hosts in
/// brackets; and letters beyond ASCII (RFC 6531), which the relay and everyone after it must
/// support. A domain in another script is written in its ASCII form (`xn--…`).
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an address and of its local part (RFC 5321 section 4.5.3.1). The first is
    /// the limit of a path less its angle brackets.
    public static let limit = 254
    static let localLimit = 64

    /// As it was typed, because only the domain's own server knows whether its case matters.
    public let localPart: String
    /// In small letters.
    public let domain: String

    /// The address to send to.
    public var description: String { "\(localPart)@\(domain)" }

    /// The form to compare and to look up by: all in small letters.
    ///
    /// RFC 5321 section 2.4 lets a domain tell `Jane` from `jane`, but no known provider does, and
    /// people type either. So this form is only for finding an account. Mail goes to the address as
    /// its owner typed it, never to an address that someone else typed and that only compares
    /// equal.
    public var canonical: String { description.lowercased() }

    /// Reads an address that someone typed, perhaps with white space around it.
    ///
    /// - Returns: `nil` if it is malformed or of a kind that is left out.
    public init?(_ text: String) {
        let text = AccountName.clean(text)
        guard text.utf8.count <= Self.limit, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            Self.isLocalPart(text.utf8[..<at]),
            Self.isDomain(text[text.utf8.index(after: at)...])
        else { return nil }
        localPart = String(text[..<at])
        domain = text[text.utf8.index(after: at)...].lowercased()
    }

    /// Whether the bytes are `Dot-string` of RFC 5321: atoms with dots between them.
    private static func isLocalPart(_ bytes: Substring.UTF8View) -> Bool {
        (1...localLimit).contains(bytes.count)
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    /// `atext` of RFC 5322 section 3.2.3.
    private static func isAtomText(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    /// Whether the text is the name of a host with at least one dot, or `localhost`.
    private static func isDomain(_ text: Substring) -> Bool {
        guard HostName.isValid(text) else { return false }
        let labels = text.split(separator: ".")
        // A last label of digits only would be that of an IP address.
        return labels.count > 1
            ? labels.last.map { !$0.allSatisfy(\.isNumber) } ?? false
            : text.lowercased() == "localhost"
    }
}

/// The email addresses of a user.
public struct MailAddresses: Sendable {
    public let verified: String?
    /// The address that is not confirmed yet.
    public let pending: String?

    public init(verified: String?, pending: String?) {
        self.verified = verified
        self.pending = pending
    }
}
