public import Attempts
public import FaveGames
public import Foundation
public import Identity
public import Outbox
public import Storage
import StorageWrites

/// What people do with circles. Methods throw `CircleError` and `PostgresError`. Whether someone owns a
/// circle, or is in it, is checked in the statements themselves.
public struct CircleActions: Sendable {
    private let store: Store
    private let refusedWords: RefusedWords
    private let attempts: AttemptCounter
    private let webhookNetworks: WebhookNetworks

    /// How often one user can set webhooks, or test them. Each sends something to someone.
    static let webhooksPerUser = AttemptLimit(30, per: .seconds(3600))

    public init(
        _ store: Store, refusedWords: RefusedWords, _ attempts: AttemptCounter,
        webhookNetworks: WebhookNetworks
    ) {
        self.store = store
        self.refusedWords = refusedWords
        self.attempts = attempts
        self.webhookNetworks = webhookNetworks
    }

    /// Makes a circle that the user owns.
    ///
    /// - Returns: Its id.
    /// - Throws: Also `RefusedText`.
    public func make(
        by user: User, name: CircleName, description: CircleDescription,
        visibility: CircleVisibility
    ) async throws -> UUID {
        try refusedWords.check([name.text, description.text])
        return try await store.makeCircle(
            of: user.id, name: name, description: description, visibility: visibility)
    }

    /// Changes a circle for its owner. A `nil` argument leaves its value unchanged.
    ///
    /// - Parameter circle: As it was. Words in its texts that have been refused since may stay.
    /// - Throws: Also `RefusedText`.
    public func change(
        _ circle: Circle, by user: User, name: CircleName? = nil,
        description: CircleDescription? = nil, visibility: CircleVisibility? = nil
    ) async throws {
        try refusedWords.check(
            [name?.text, description?.text].compactMap(\.self),
            replacing: [circle.name, circle.description])
        try await store.changeCircle(
            id: circle.id, by: user.id, name: name, description: description, visibility: visibility
        )
    }

    /// Deletes a circle for its owner.
    public func delete(_ id: UUID, by user: User) async throws {
        try await store.deleteCircle(id: id, by: user.id)
    }

    /// Makes an invitation to a circle for its owner.
    ///
    /// - Parameters:
    ///   - uses: For how many people.
    ///   - days: How long it is valid.
    public func invite(
        to id: UUID, by user: User, uses: Int, days: Int
    ) async throws -> (token: SecretToken, invitation: CircleInvitation) {
        let token = SecretToken()
        let invitation = try await store.makeInvitation(
            toCircle: id, by: user.id, tokenHash: token.hash, uses: uses, days: days)
        return (token, invitation)
    }

    /// Revokes an invitation for the circle's owner. One that isn't there counts as revoked.
    public func revoke(_ invitation: UUID, to id: UUID, by user: User) async throws {
        try await store.revokeInvitation(invitation, toCircle: id, by: user.id)
    }

    /// Makes someone a member, which uses the invitation up by one.
    ///
    /// - Returns: The circle's id.
    public func join(with invitation: SecretToken, as user: User) async throws -> UUID {
        try await store.joinCircle(tokenHash: invitation.hash, by: user.id)
    }

    /// Ends a membership. Someone who isn't a member counts as having left.
    public func leave(_ id: UUID, as user: User) async throws {
        try await store.leaveCircle(id: id, by: user.id)
    }

    /// Removes a member for the circle's owner, and ends all open invitations.
    public func remove(_ member: UUID, from id: UUID, by user: User) async throws {
        try await ofOwnCircle(id, user) {
            try await store.removeMember(member, ofCircle: id, by: user.id)
        }
    }

    /// Makes another member the owner, and ends all open invitations.
    public func handOver(_ id: UUID, to member: UUID, by user: User) async throws {
        try await ofOwnCircle(id, user) {
            try await store.handOver(circle: id, by: user.id, to: member)
        }
    }

    // MARK: Webhooks

    /// Has the changes in a circle sent to an address, for its owner. Replaces an earlier webhook.
    ///
    /// - Returns: The new key of the signatures.
    /// - Throws: Also `TooManyAttempts`.
    public func setWebhook(
        of id: UUID, to address: WebhookAddress, by user: User
    ) async throws -> WebhookSecret {
        guard webhookNetworks.admit(address) else { throw CircleError.webhookNotAllowed }
        try await countWebhook(by: user)
        let secret = WebhookSecret()
        try await store.setWebhook(
            ofCircle: id, by: user.id, address: address.description, secret: secret.bytes)
        return secret
    }

    /// Ends a circle's webhook for its owner. One that isn't there counts as ended.
    public func removeWebhook(of id: UUID, by user: User) async throws {
        try await store.removeWebhook(ofCircle: id, by: user.id)
    }

    /// Sends a test to a circle's webhook, in the background.
    ///
    /// - Throws: Also `TooManyAttempts`.
    public func testWebhook(of id: UUID, by user: User) async throws {
        try await countWebhook(by: user)
        try await store.testWebhook(ofCircle: id, by: user.id)
    }

    private func countWebhook(by user: User) async throws {
        try await attempts.count(Attempt("webhook", user.id), Self.webhooksPerUser)
    }

    /// Says of a circle that the user doesn't own that it isn't there, and not one of its members.
    private func ofOwnCircle(
        _ id: UUID, _ user: User, _ change: () async throws -> Void
    ) async throws {
        do {
            try await change()
        } catch CircleError.noSuchMember {
            let view = try await store.circle(id: id, seenBy: user.id)
            throw view?.role == .owner ? CircleError.noSuchMember : .notFound
        }
    }
}
