import FaveGames

/// The form that makes a personal token, with what was typed and what is wrong with it.
package struct TokenForm: Sendable {
    package var name = FormField()
    package var scopes: Set<TokenScope> = [.read]
    package var scopesError: String?
    /// A number of days, or "never".
    package var days = "90"
    package var daysError: String?
    package var hasPassword: Bool
    package var passwordError: String?

    package init(hasPassword: Bool) { self.hasPassword = hasPassword }

    package var anyError: String? { name.error ?? scopesError ?? daysError ?? passwordError }
}
