/// What is wrong with the form that sets a password.
package struct PasswordFaults: Sendable {
    package var current: String?
    package var new: String?

    package init() {}
}
