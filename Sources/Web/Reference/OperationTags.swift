import Endpoints

// What the operations of this API are about.
extension APIOperation.Tag {
    static let platforms = APIOperation.Tag(
        "Platforms", "Systems that games run on, and their rankings.")
    static let games = APIOperation.Tag(
        "Games", "Games from IGDB, or from the server's own catalogue.")
    static let entries = APIOperation.Tag(
        "Entries", "What everyone says about their favourites.")
    static let users = APIOperation.Tag(
        "Users", "Users and their lists.")
    static let sessions = APIOperation.Tag(
        "Sessions", "Tokens for accounts on this server.")
    static let me = APIOperation.Tag(
        "Me", "The current user: the one the token belongs to.")
    static let myList = APIOperation.Tag(
        "My list", "The current user's list: that of the token's user.")
    static let circles = APIOperation.Tag(
        "Circles",
        "Groups that people join by invitation, with rankings of their members' public lists.")
    static let moderation = APIOperation.Tag(
        "Moderation", "Reports, and what moderators do about them.")
    static let webhooks = APIOperation.Tag(
        "Webhooks", "What the server sends to the address of a webhook.")
    static let service = APIOperation.Tag(
        "Service", "For monitors, load balancers and other services.")
    static let firstFrontEnd = APIOperation.Tag(
        "First front end",
        """
        The routes of the first version of this API, for its front end. Errors are plain \
        text for reads, and objects with “code” and “message” for writes; unknown members of \
        bodies are ignored. New clients should use /api/v1.
        """)

    static let all: [APIOperation.Tag] = [
        .platforms, .games, .entries, .users, .sessions, .me, .myList, .circles, .moderation,
        .webhooks, .service, .firstFrontEnd,
    ]
}

extension RoutePurpose {
    static func v0(_ id: String, _ summary: String, _ description: String? = nil) -> RoutePurpose {
        .described(.plainAPI, id, .firstFrontEnd, summary, description)
    }

    /// For programs that work with the server as a whole.
    static func service(
        _ kind: AddressKind, _ id: String, _ summary: String, _ description: String? = nil
    ) -> RoutePurpose {
        .described(kind, id, .service, summary, description)
    }
}
