import FaveGames

/// The form for what others see of a user.
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
