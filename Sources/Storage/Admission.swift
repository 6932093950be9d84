/// The terms for creating an account.
public struct Admission: Sendable {
    /// How long the list waits before it is shown publicly, in hours; 0 shows it at once.
    public let delayHours: Int
    /// The digest of the invitation that is used up; `nil` if none is needed.
    public let invitation: [UInt8]?

    public init(delayHours: Int = 0, invitation: [UInt8]? = nil) {
        self.delayHours = delayHours
        self.invitation = invitation
    }

    /// The hours as a parameter of `Users.newUntil`.
    package var parameter: Int? { delayHours > 0 ? delayHours : nil }
}

/// The invitation was used up or revoked, or has expired.
public struct InvitationInvalidError: Error, Hashable, Sendable {
    package init() {}
}
