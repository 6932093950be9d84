/// A permission that a personal token gives a program, or that someone gives an app.
public enum TokenScope: String, CaseIterable, Sendable {
    /// Reading what only the user may see.
    case read
    /// Changing the user's list.
    case writeList = "list:write"
    /// Changing the user's profile, follows, hearts, blocks, circles and sessions, and exporting everything.
    case account
}

extension Set<TokenScope> {
    /// Reads scopes as OAuth writes them, separated by spaces: RFC 6749 section 3.3.
    ///
    /// - Returns: `nil` if the text names no scope, or an unknown one.
    public init?(scopes text: String) {
        let names = text.split(separator: " ")
        let scopes = names.compactMap { TokenScope(rawValue: String($0)) }
        guard !scopes.isEmpty, scopes.count == names.count else { return nil }
        self = Set(scopes)
    }

    /// The scopes as OAuth writes them.
    public var text: String {
        TokenScope.allCases.filter(contains).map(\.rawValue).joined(separator: " ")
    }
}
