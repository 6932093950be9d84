import Endpoints
import FaveGames

extension V1 {
    static let followedPerson = ObjectRepresentation<FollowedPerson>(
        "FollowedPerson", "Someone who is followed, or who follows the user.",
        idMember() + nameMembers() + [
            .init("followedAt", .date, "Since when one follows the other.") { $0.followedAt }
        ])
}
