/// Why something about a circle was refused.
public enum CircleError: Error, Hashable, Sendable {
    /// There is no such circle, or the user may not see it or do this to it.
    case notFound
    case noSuchMember
    case invitationInvalid
    case full
    /// The user owns, or is in, as many circles as anyone can.
    case tooManyOwned
    case tooManyJoined
    /// The member who was to take over the circle owns as many as anyone can.
    case memberOwnsTooMany
    case tooManyInvitations
    /// The owner can't leave.
    case ownerMustStay
    /// A circle for members only can't become public while others are in it.
    case hasMembers
    case noWebhook
    /// A webhook's address leads to where nothing may be sent.
    case webhookNotAllowed
    /// So many messages to all webhooks are waiting that no more are taken.
    case webhookQueueFull
}
