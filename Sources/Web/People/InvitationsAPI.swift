import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Identity
import Storage

/// Invitation links that members create while signing up needs an invitation.
enum InvitationsAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/invitations",
            .api(
                "listInvitations", .me, "List the user's invitations",
                "Those that can still be used, the latest first."),
            takes: .user(.account),
            returns: .array(
                "invitations", of: invitation, "The invitations.",
                atMost: AccountPolicy.invitationLimit, "The open invitations.")
        ) { context, user in try await context.services.store.invitations(userID: user.id) },

        Route(
            .post, "/api/v1/me/invitations",
            .api(
                "invite", .me, "Make an invitation",
                "Only if people need one to sign up here: otherwise 403. The response shows its token "
                    + "once."),
            takes: .user(.account), .json(NewInvitation.self),
            returns: .created(newInvitation, "The invitation with its link.") {
                $0.invitation.id.text
            },
            fails: [.conflict, .forbidden]
        ) { context, user, new in
            let made = try await context.services.accounts.invite(
                as: user, uses: new.uses, days: new.days)
            return Made(
                invitation: made.invitation,
                link: context.services.settings.publicURL + InvitationsPage.path(to: made.token))
        },

        Route(
            .delete, "/api/v1/me/invitations/{invitation}",
            .api(
                "revokeInvitation", .me, "Revoke an invitation",
                "Succeeds for one that the user doesn't have, too."),
            takes: .user(.account), .invitation, returns: .noContent
        ) { context, user, id in
            try await context.services.accounts.revoke(invitation: id, of: user)
        },
    ]

    struct NewInvitation: RequestBody {
        let uses: Int
        let days: Int

        init?(from reader: inout JSONObjectReader) {
            uses =
                reader.optional(
                    "uses", .integer(Invitations.uses, example: 1),
                    "For how many people; 1 if omitted.") ?? 1
            days =
                reader.optional(
                    "days", .integer(Invitations.days, example: 7),
                    "How long it is valid; 7 if omitted.") ?? 7
        }
    }

    private struct Made: Sendable {
        let invitation: Invitation
        let link: String
    }

    static let invitation = ObjectRepresentation<Invitation>(
        "Invitation", "A link that lets people sign up.",
        [
            .init("id", .uuid(example: Example.user), "The invitation's id.") { $0.id },
            .init(
                "uses", .integer(Invitations.uses, example: 1), "For how many people."
            ) { $0.uses },
            .init(
                "usesLeft", .integer(0...Invitations.uses.upperBound, example: 1),
                "For how many people still."
            ) { $0.usesLeft },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            .init("expiresAt", .date, "When it expires.") { $0.expiresAt },
        ])

    private static let newInvitation = ObjectRepresentation<Made>(
        "CreatedInvitation", "An invitation with its link.", extending: invitation,
        { $0.invitation },
        [
            .init(
                "link",
                .text(
                    format: "uri",
                    example: "https://fave.example/sign-up?invitation=" + Example.secret),
                "The link to send. It isn't shown again."
            ) { $0.link }
        ])
}

extension Input where Value == UUID {
    static var invitation: Self {
        .id("invitation", "The invitation's id.", example: Example.user)
    }
}
