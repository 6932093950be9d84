import Actions
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Languages
import Views

/// The members of circles.
enum CircleMembersAPI {
    static let routes = [
        Route(
            .get, "/api/v1/circles/{circle}/members",
            .api(
                "listCircleMembers", .circles, "List the members of a circle",
                "For anyone, the members whose lists are public. Members also see the names of the "
                    + "others. Suspended people are left out. The owner comes first, then the others, "
                    + "longest-standing members first."),
            takes: .circle, .viewer,
            returns: .array(
                "members", of: V1.circleMember, "The members.", atMost: Circle.memberLimit,
                "The members.")
        ) { context, id, viewer in try await context.circle(id, seenBy: viewer).members },

        Route(
            .delete, "/api/v1/circles/{circle}/members/{member}",
            .api(
                "removeCircleMember", .circles, "Remove a member of a circle",
                "For its owner. All open invitations end, so that the member can't come back with one."
            ),
            takes: .user(.account), .circle, .circleMember, returns: .noContent
        ) { context, user, id, member in
            try await context.circles.remove(member, from: id, by: user)
        },

        Route(
            .put, "/api/v1/circles/{circle}/owner",
            .api(
                "handOverCircle", .circles, "Hand a circle over to another member",
                "For its owner, who stays a member. All open invitations end."),
            takes: .user(.account), .circle, .json(NewOwner.self), returns: .noContent,
            fails: [.conflict]
        ) { context, user, id, new in
            do {
                try await context.circles.handOver(id, to: new.member, by: user)
            } catch CircleError.noSuchMember {
                throw Problem.unknown(.notAMember, at: "/member", CircleError.noSuchMember.words)
            }
        },

        Route(
            .delete, "/api/v1/me/circles/{circle}",
            .api(
                "leaveCircle", .circles, "Leave a circle",
                "Succeeds for a circle that the user isn't in, too. The owner must hand the circle "
                    + "over first, or delete it."),
            takes: .user(.account), .circle, returns: .noContent, fails: [.conflict]
        ) { context, user, id in try await context.circles.leave(id, as: user) },
    ]

    private struct NewOwner: RequestBody {
        let member: UUID

        init?(from reader: inout JSONObjectReader) {
            let member = reader.required(
                "member",
                .parsed(
                    .text(format: "uuid", example: Example.member), .english("This must be an id.")
                ) {
                    UUID(uuidString: $0)
                }, "The membership's id.")
            guard let member else { return nil }
            self.member = member
        }
    }
}
