import FaveGames

/// The form of what others see of someone.
package struct ProfileForm: Sendable {
    let displayName: FormField
    let bio: FormField
    let visibility: Visibility
    let visibilityError: String?

    package init(
        displayName: FormField, bio: FormField, visibility: Visibility, visibilityError: String?
    ) {
        self.displayName = displayName
        self.bio = bio
        self.visibility = visibility
        self.visibilityError = visibilityError
    }
}

/// What is wrong with the form that sets a password.
package struct PasswordFaults: Sendable {
    package var current: String?
    package var new: String?

    package init() {}
}

/// The form that deletes an account.
package struct DeletionForm: Sendable {
    package var isOpen = false
    package var usernameError: String?
    package var passwordError: String?

    package init() {}
}

/// An account elsewhere that opens this one.
package struct LinkedAccount: Sendable {
    let name: String
    let detail: String
    /// Where the form that disconnects it goes; `nil` while nothing else opens the account.
    let disconnect: String?

    package init(name: String, detail: String, disconnect: String?) {
        self.name = name
        self.detail = detail
        self.disconnect = disconnect
    }
}
