/// Why something about a circle was refused.
public enum CircleError: Error, Hashable, Sendable, CustomStringConvertible {
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

    public var description: String {
        switch self {
        case .notFound: "There is no such circle here, or it’s for its members only."
        case .noSuchMember: "There is no such member whom you could choose."
        case .invitationInvalid:
            "This invitation has been used up or revoked, or has expired. Ask for a new one."
        case .full: "This circle is full: it has \(Circle.memberLimit) members."
        case .tooManyOwned:
            "You can own at most \(Circle.ownedLimit) circles. Delete one first, or hand it over."
        case .tooManyJoined:
            "You can be in at most \(Circle.joinedLimit) circles. Leave one first."
        case .memberOwnsTooMany:
            "This member owns \(Circle.ownedLimit) circles already, and can’t own another one."
        case .tooManyInvitations:
            "A circle can have at most \(Circle.invitationLimit) open invitations. Revoke one first."
        case .hasMembers:
            "The other members joined a circle that only they see, so it can’t become public. Make a "
                + "public one, and invite them to it."
        case .noWebhook: "This circle has no webhook, or it has ended."
        case .webhookNotAllowed:
            "Use an address that begins with https and that everyone on the internet can reach."
        case .webhookQueueFull:
            "Too many messages are waiting to be sent already. Try again later."
        case .ownerMustStay:
            "You own this circle. Hand it over to another member first, or delete it."
        }
    }
}
