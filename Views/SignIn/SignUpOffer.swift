import Languages

/// What a site offers to people who have no account there.
package enum SignUpOffer: Sendable {
    case open
    /// They need a link from a member.
    case byInvitation
    /// There are no new accounts, or no accounts at all.
    case closed

    /// The title of the page to sign up.
    package var title: Words {
        switch self {
        case .open: .signUp
        case .byInvitation: .signUpIsByInvitation
        case .closed: .signUpIsClosed
        }
    }

    /// What people need to save a list, unless the site is open to everyone.
    var conditionForSaving: Words? { refusal.map(Words.needsAccount) }

    /// Why people can't create an account; `nil` if they can.
    var refusal: Words? {
        switch self {
        case .open: nil
        case .byInvitation: .byInvitation
        case .closed: .noNewAccounts
        }
    }
}
