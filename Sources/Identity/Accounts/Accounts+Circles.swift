import FaveGames
import Foundation
import Storage

// Circles, as far as the operator's rules and secrets are concerned.
extension Accounts {
    /// Makes a circle that the user owns.
    ///
    /// - Throws: `AccountError.blockedText`, and what `Store.makeCircle` throws.
    public func makeCircle(
        of user: User, name: CircleName, description: CircleDescription,
        visibility: CircleVisibility
    ) async throws -> UUID {
        try check(name.text)
        try check(description.text)
        return try await store.makeCircle(
            of: user.id, name: name, description: description, visibility: visibility)
    }

    /// Changes a circle for its owner. What is `nil` remains as it is.
    ///
    /// - Throws: `AccountError.blockedText`, and what `Store.changeCircle` throws.
    public func changeCircle(
        id: UUID, by user: User, name: CircleName? = nil, description: CircleDescription? = nil,
        visibility: CircleVisibility? = nil
    ) async throws {
        let current = try await store.circle(id: id, seenBy: user.id)
        guard let current, current.role == .owner else { throw CircleError.notFound }
        // What was written before doesn't keep anyone from changing the rest.
        if let name, name.text != current.circle.name { try check(name.text) }
        if let description, description.text != current.circle.description {
            try check(description.text)
        }
        try await store.changeCircle(
            id: id, by: user.id, name: name, description: description, visibility: visibility)
    }

    /// Makes an invitation to a circle for its owner.
    ///
    /// - Parameters:
    ///   - uses: For how many people.
    ///   - days: How long it is valid.
    /// - Throws: What `Store.makeInvitation` throws.
    public func inviteToCircle(
        id: UUID, as user: User, uses: Int, days: Int
    ) async throws -> (token: SecretToken, invitation: CircleInvitation) {
        let token = SecretToken()
        let invitation = try await store.makeInvitation(
            toCircle: id, by: user.id, tokenHash: token.hash, uses: uses, days: days)
        return (token, invitation)
    }
}
