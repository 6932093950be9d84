/// Changes to a user's profile. A field that is `nil` remains as it is.
public struct ProfileChanges: Sendable {
    public var username: Username?
    public var displayName: DisplayName?
    public var bio: Bio?
    public var visibility: Visibility?
    public var showsRatings: Bool?
    public var takesYearlySnapshots: Bool?
    /// A tag, or `nil` in the place of a tag to remove it.
    public var language: String??

    public init(
        username: Username? = nil, displayName: DisplayName? = nil, bio: Bio? = nil,
        visibility: Visibility? = nil, showsRatings: Bool? = nil,
        takesYearlySnapshots: Bool? = nil, language: String?? = nil
    ) {
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.visibility = visibility
        self.showsRatings = showsRatings
        self.takesYearlySnapshots = takesYearlySnapshots
        self.language = language
    }
}

/// The username is taken or reserved, or too similar to such a one.
public struct UsernameTakenError: Error, Hashable, Sendable {
    package init() {}
}
