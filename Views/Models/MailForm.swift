/// The form for an address of mail, with what was typed and what is wrong with it.
package struct MailForm: Sendable {
    let verified: String?
    /// The address that waits to be confirmed.
    let pending: String?
    let address: FormField
    let passwordError: String?

    package init(
        verified: String?, pending: String?, address: FormField, passwordError: String?
    ) {
        self.verified = verified
        self.pending = pending
        self.address = address
        self.passwordError = passwordError
    }

    var hasAny: Bool { verified != nil || pending != nil }
}
