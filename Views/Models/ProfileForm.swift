import FaveGames

/// The form for what others see of a user.
package struct ProfileForm: Sendable {
    let displayName: FormField
    let bio: FormField
    let visibility: Visibility
    let visibilityError: String?
    let showsRatings: Bool

    package init(
        displayName: FormField, bio: FormField, visibility: Visibility, visibilityError: String?,
        showsRatings: Bool
    ) {
        self.displayName = displayName
        self.bio = bio
        self.visibility = visibility
        self.visibilityError = visibilityError
        self.showsRatings = showsRatings
    }
}
