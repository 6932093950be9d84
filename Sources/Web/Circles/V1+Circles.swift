import Endpoints
import FaveGames
import Views

// How circles are written in JSON.
extension V1 {
    static let circleVisibilityText =
        "The circle's audience. public: everyone. members: its members only, which is the default."

    static let circleSlug = Schema.text(
        1...CircleSlug.limit, pattern: CircleSlug.pattern, example: "tuesday-club")

    private static let circleRole = EnumerationRepresentation<CircleRole>()

    private static func circleMembers() -> [ObjectRepresentation<Circle>.Member] {
        [
            .init("id", .uuid(example: Example.circle), "The circle's id. It never changes.") {
                $0.id
            },
            .init(
                "slug", .text(circleSlug),
                "The end of its page's address, made of its first name. It stays when the name changes."
            ) { $0.slug },
            .init(
                "name", .text(.circleName),
                "The name: any script, on one line, 1 to \(CircleName.limit) characters."
            ) { $0.name },
            .init(
                "description", .text(.circleDescription),
                """
                What it is about, on one line; may be empty. At most \(CircleDescription.limit) \
                characters.
                """
            ) { $0.description },
            .init(
                "visibility", EnumerationRepresentation<CircleVisibility>(), circleVisibilityText
            ) { $0.visibility },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            page("/circles/tuesday-club") { Path.circle($0.slug) },
        ]
    }

    static let circle = ObjectRepresentation<CircleView>(
        "Circle", "A group of people, as the user sees it.",
        circleMembers().map { $0.of { $0.circle } } + [
            .init(
                "role", .nullable(circleRole),
                "What the user is in it; null for anyone who isn't in it."
            ) { $0.role },
            .init(
                "memberCount", .integer(0...Circle.memberLimit, example: 1),
                "The number of members whom the user can see."
            ) { $0.members.count },
        ])

    static let ownCircle = ObjectRepresentation<OwnCircle>(
        "OwnCircle", "A circle that the user is in.",
        circleMembers().map { $0.of { $0.circle } } + [
            .init("role", circleRole, "What the user is in it.") { $0.role },
            .init(
                "memberCount", .integer(0...Circle.memberLimit, example: 1),
                "The number of members."
            ) { $0.memberCount },
            .init("joinedAt", .date, "When the user joined.") { $0.joinedAt },
        ])

    static let circleMember = ObjectRepresentation<CircleMember>(
        "CircleMember", "A member of a circle.",
        [
            .init(
                "id", .uuid(example: Example.member),
                "The membership's id. It isn't the user's."
            ) { $0.id },
            .init(
                "username", .nullable(.text(.username)),
                "The username; null unless the member's list is public."
            ) { $0.username },
            .init("displayName", .text(.displayName), "The name that is shown.") {
                $0.displayName
            },
            .init("isOwner", .boolean(example: true), "Whether the circle is theirs.") {
                $0.isOwner
            },
            .init(
                "joinedAt", .nullable(.date),
                "When they joined; null for anyone who isn't a member."
            ) { $0.joinedAt },
        ])

    private static let circleGame = ObjectRepresentation<RankedGame>(
        "CircleGame", "A game in a circle's ranking.",
        [
            .init("rank", .integer(1..., example: 1), "Equal counts share a rank: 1, 1, 3.") {
                $0.rank
            },
            .init(
                "includedBy", .integer(1...Circle.memberLimit, example: 3),
                "The number of members' public lists that include the game for this platform."
            ) { $0.includedBy },
            .init("game", game) { $0.game },
        ])

    static let circleRanking = ObjectRepresentation<CircleRanking>(
        "CircleRanking", "A circle's ranking on one platform.",
        [
            .init("platform", platform) { $0.platform },
            .init(
                "gameCount", .integer(0..., example: 1),
                "The number of games that are ranked on the platform."
            ) { $0.gameCount },
            .init(
                "games", .array(of: circleGame, atMost: 100),
                "Those that were asked for, by rank, and within a rank by name."
            ) { $0.games },
        ])

    static let commonGame = ObjectRepresentation<CommonGame>(
        "CommonGame", "A game that several members' public lists have, on whatever platforms.",
        [
            .init("game", game) { $0.game },
            .init(
                "includedBy", .integer(2...Circle.memberLimit, example: 2),
                "The number of members' public lists that include the game."
            ) { $0.lists },
        ])

    static let circleInvitation = ObjectRepresentation<CircleInvitation>(
        "CircleInvitation", "A link that lets people join a circle.",
        [
            .init("id", .uuid(example: Example.user), "The invitation's id.") { $0.id },
            .init("uses", .integer(Invitations.uses, example: 20), "For how many people.") {
                $0.uses
            },
            .init(
                "usesLeft", .integer(0...Invitations.uses.upperBound, example: 19),
                "For how many people still."
            ) { $0.usesLeft },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            .init("expiresAt", .date, "When it expires.") { $0.expiresAt },
        ])

    struct NewCircleInvitation: Sendable {
        let invitation: CircleInvitation
        let link: String
    }

    static let newCircleInvitation = ObjectRepresentation<NewCircleInvitation>(
        "CreatedCircleInvitation", "An invitation to a circle with its link.",
        extending: circleInvitation, { $0.invitation },
        [
            .init(
                "link",
                .text(
                    format: "uri",
                    example: "https://fave.example/circles/join?invitation=" + Example.secret),
                "The link to send. It isn't shown again."
            ) { $0.link }
        ])

    static let circleOffer = ObjectRepresentation<CircleOffer>(
        "CircleOffer", "What an invitation is to.",
        circleMembers().map { $0.of { $0.circle } } + [
            .init("owner", .text(.displayName), "The name of the one who invites.") { $0.owner },
            .init(
                "memberCount", .integer(0...Circle.memberLimit, example: 1),
                "The number of members."
            ) { $0.memberCount },
            .init("expiresAt", .date, "When the invitation expires.") { $0.expiresAt },
        ])
}
