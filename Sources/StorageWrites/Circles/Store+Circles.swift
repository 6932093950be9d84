public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension Store {
    // MARK: Changes

    /// Makes a circle.
    ///
    /// - Returns: Its id.
    /// - Throws: `CircleError.tooManyOwned` or `tooManyJoined`.
    public func makeCircle(
        of userID: UUID, name: CircleName, description: CircleDescription,
        visibility: CircleVisibility
    ) async throws -> UUID {
        try await explainingLimits(ownedLimit: .tooManyOwned) {
            try await database.row(
                Circles.make,
                [
                    .uuid(userID), .text(name.text), .text(description.text),
                    .text(visibility.rawValue),
                ])
        }
    }

    /// Changes a circle for its owner. Values that are `nil` remain unchanged.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner; `hasMembers`.
    public func changeCircle(
        id: UUID, by userID: UUID, name: CircleName?, description: CircleDescription?,
        visibility: CircleVisibility?
    ) async throws {
        let isChanged = try await explainingLimits(ownedLimit: .tooManyOwned) {
            try await database.row(
                Circles.change,
                [
                    .uuid(id), .uuid(userID), .text(name?.text), .text(description?.text),
                    .text(visibility?.rawValue),
                ])
        }
        guard isChanged else { throw CircleError.notFound }
    }

    /// Deletes a circle for its owner.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    public func deleteCircle(id: UUID, by userID: UUID) async throws {
        let isDeleted = try await database.row(Circles.delete, [.uuid(id), .uuid(userID)])
        guard isDeleted else { throw CircleError.notFound }
    }

    /// Lets a member leave. Someone who isn't in the circle counts as having left.
    ///
    /// - Throws: `CircleError.ownerMustStay`.
    public func leaveCircle(id: UUID, by userID: UUID) async throws {
        let hasLeft = try await database.row(Circles.leave, [.uuid(id), .uuid(userID)])
        guard hasLeft else { throw CircleError.ownerMustStay }
    }

    /// Removes another member for the owner. All invitations end, so that the member can't come back
    /// with one.
    ///
    /// - Parameter member: The id of the membership.
    /// - Throws: `CircleError.noSuchMember`, also for anyone but the owner.
    public func removeMember(_ member: UUID, ofCircle id: UUID, by userID: UUID) async throws {
        let isRemoved = try await database.row(
            Circles.removeMember, [.uuid(id), .uuid(userID), .uuid(member)])
        guard isRemoved else { throw CircleError.noSuchMember }
    }

    /// Makes another member the owner. All invitations end.
    ///
    /// - Parameter member: The id of the membership.
    /// - Throws: `CircleError.noSuchMember`, also for anyone but the owner; `memberOwnsTooMany`.
    public func handOver(circle id: UUID, by userID: UUID, to member: UUID) async throws {
        let isDone = try await explainingLimits(ownedLimit: .memberOwnsTooMany) {
            try await database.row(
                Circles.handOver, [.uuid(id), .uuid(userID), .uuid(member)])
        }
        guard isDone else { throw CircleError.noSuchMember }
    }

    // MARK: Invitations

    /// Makes an invitation to a circle for its owner.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - uses: For how many people it is, within `Invitations.uses`.
    ///   - days: How long it is valid, within `Invitations.days`.
    /// - Throws: `CircleError.notFound`, also for anyone but the owner; `tooManyInvitations`.
    public func makeInvitation(
        toCircle id: UUID, by userID: UUID, tokenHash: [UInt8], uses: Int, days: Int
    ) async throws -> CircleInvitation {
        let invitationID = try await explainingLimits(ownedLimit: .tooManyOwned) {
            try await database.row(
                Circles.invite,
                [
                    .uuid(id), .uuid(userID), .bytes(tokenHash), .int(uses), .int(days),
                    .int(Circle.invitationLimit), .uuid(database.viewer?.wayIn),
                ])
        }
        let made = try await invitations(toCircle: id, by: userID)
            .first { $0.id == invitationID }
        guard let made else { throw CircleError.notFound }
        return made
    }

    /// Revokes an invitation to a circle for its owner. If it doesn't exist, this succeeds, too.
    public func revokeInvitation(
        _ invitation: UUID, toCircle id: UUID, by userID: UUID
    ) async throws(PostgresError) {
        try await database.query(Circles.revoke, [.uuid(invitation), .uuid(id), .uuid(userID)])
    }

    /// Joins the circle of an invitation, and uses up one of the invitation's places. Members use
    /// up none.
    ///
    /// - Returns: The circle's id.
    /// - Throws: `CircleError.invitationInvalid`, `full` or `tooManyJoined`.
    public func joinCircle(tokenHash: [UInt8], by userID: UUID) async throws -> UUID {
        let circle = try await explainingLimits(ownedLimit: .tooManyOwned) {
            try await database.row(Circles.join, [.bytes(tokenHash), .uuid(userID)])
        }
        guard let circle else { throw CircleError.invitationInvalid }
        return circle
    }

    // MARK: The webhook

    /// Replaces the webhook of a circle for its owner, with everything that is queued for it.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    public func setWebhook(
        ofCircle id: UUID, by userID: UUID, address: String, secret: [UInt8]
    ) async throws {
        let isSet = try await database.row(
            Circles.setWebhook,
            [
                .uuid(id), .uuid(userID), .text(address), .bytes(secret),
                .uuid(database.viewer?.wayIn),
            ])
        guard isSet else { throw CircleError.notFound }
    }

    /// Removes the webhook of a circle for its owner. One that isn't there counts as removed.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    public func removeWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let isRemoved = try await database.row(Circles.removeWebhook, [.uuid(id), .uuid(userID)])
        guard isRemoved else { throw CircleError.notFound }
    }

    /// Queues a test of a circle's webhook for the circle's owner.
    ///
    /// - Throws: `CircleError.noWebhook`, also for anyone but the owner; `webhookQueueFull`.
    public func testWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let outcome = try await database.query(Circles.testWebhook, [.uuid(id), .uuid(userID)])
            .first
        guard let isQueued = outcome ?? nil else { throw CircleError.noWebhook }
        guard isQueued else { throw CircleError.webhookQueueFull }
    }

    // MARK: Limits

    /// Runs a change, and turns a violated constraint into an error about the exceeded limit.
    private func explainingLimits<Result>(
        ownedLimit: CircleError, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError {
            switch error.constraint {
            case "circle_members_seat_check": throw CircleError.full
            case "circle_members_place_check": throw CircleError.tooManyJoined
            case "circle_members_owned_check": throw ownedLimit
            case "circles_exposure": throw CircleError.hasMembers
            case "circle_invitations_bound": throw CircleError.tooManyInvitations
            // The account was deleted in the meantime.
            case "circle_members_user_id_fkey": throw CircleError.notFound
            default: throw error
            }
        }
    }
}

extension Circles {
    // MARK: Changes

    static let make = Query(
        "make_circle", .write, column("make_circle($1, $2, $3, $4)", UUID.self)
    )

    static let change = Query(
        "change_circle", .write, column("change_circle($1, $2, $3, $4, $5)", Bool.self)
    )

    static let delete = Query(
        "delete_circle", .write, column("delete_circle($1, $2)", Bool.self)
    )

    static let leave = Query("leave_circle", .write, column("leave_circle($1, $2)", Bool.self))

    static let removeMember = Query(
        "remove_circle_member", .write, column("remove_circle_member($1, $2, $3)", Bool.self)
    )

    static let handOver = Query(
        "hand_over_circle", .write, column("hand_over_circle($1, $2, $3)", Bool.self)
    )

    // MARK: Invitations

    static let invite = Query(
        "make_circle_invitation", .write,
        column("make_circle_invitation($1, $2, $3, $4, $5, $6, $7)", UUID?.self)
    )

    static let revoke = Statement(
        "revoke_circle_invitation", .write,
        """
        DELETE FROM circle_invitations i
        WHERE i.id = $1 AND i.circle_id = $2 AND owns_circle($2, $3)
        """)

    static let join = Query("join_circle", .write, column("join_circle($1, $2)", UUID?.self))

    // MARK: The webhook

    static let setWebhook = Query(
        "set_circle_webhook", .write, column("set_circle_webhook($1, $2, $3, $4, $5)", Bool.self)
    )

    static let removeWebhook = Query(
        "remove_circle_webhook", .write, column("remove_circle_webhook($1, $2)", Bool.self)
    )

    static let testWebhook = Query(
        "test_circle_webhook", .write, column("queue_webhook('test', $1, NULL)", Bool?.self)
    ) { "SELECT \($0) WHERE owns_circle($1, $2)" }
}
