/// An email address, perhaps with a name to show beside it.
public struct Mailbox: Hashable, Sendable, CustomStringConvertible {
    public let name: DisplayName?
    public let address: MailAddress

    public init(_ address: MailAddress, name: DisplayName? = nil) {
        self.address = address
        self.name = name
    }

    /// Parses `address` or `Name <address>`. The name is plain text in any script, without quotation
    /// marks around or in it, and without angle brackets.
    ///
    /// - Returns: `nil` if the text is malformed.
    public init?(_ text: String) {
        guard let open = text.firstIndex(of: "<") else {
            guard let address = MailAddress(text) else { return nil }
            self.init(address)
            return
        }
        let name = text[..<open]
        guard text.hasSuffix(">"), name.allSatisfy({ $0 != ">" && $0 != "\"" }),
            let address = MailAddress(String(text[text.index(after: open)...].dropLast())),
            let name = DisplayName(String(name))
        else { return nil }
        self.init(address, name: name)
    }

    public var description: String {
        name.map { "\($0.text) <\(address)>" } ?? address.description
    }
}
