/// What someone typed, or copied, to name an account: a username or an email address. Both types read it
/// through this, so that no two places differ in what they accept.
enum AccountName {
    /// Removes white space and invisible characters around a name, and one `@` before it.
    static func clean(_ text: String) -> String { withoutMark(OneLine.trim(text)) }

    /// Removes one `@` before a name.
    static func withoutMark(_ text: String) -> String {
        // By scalars: a combining mark after it would hide it.
        guard text.unicodeScalars.first == "@" else { return text }
        return OneLine.trim(String(text.unicodeScalars.dropFirst()))
    }
}
