/// The form that deletes an account.
package struct DeletionForm: Sendable {
    package var isOpen = false
    package var usernameError: String?
    package var passwordError: String?

    package init() {}
}
