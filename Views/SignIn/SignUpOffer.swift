/// What a site offers to people who have no account there.
package enum SignUpOffer: Sendable {
    case open
    /// They need a link from a member.
    case byInvitation
    /// There are no new accounts, or no accounts at all.
    case closed

    /// The title of the page to sign up.
    package var title: String {
        switch self {
        case .open: "Sign up"
        case .byInvitation: "Sign-up is by invitation"
        case .closed: "Sign-up is closed for now"
        }
    }

    /// What people need to save a list, unless the site is open to everyone.
    var conditionForSaving: String? { refusal.map { "You need an account to save. \($0)" } }

    /// Why people can't create an account; `nil` if they can.
    var refusal: String? {
        switch self {
        case .open: nil
        case .byInvitation: "Sign-up is by invitation: ask a member for a link."
        case .closed: "This site isn’t taking new accounts at the moment."
        }
    }
}
