import Endpoints
import HTTPTypes

extension ProblemKind {
    /// All kinds, in the words of this service.
    static let all: [ProblemKind] =
        [
            .badRequest, .invalidParameter, .malformedDocument, .invalidCursor,
            .unauthorized.explained(
                """
                You need to sign in for this. Send an access token in the Authorization field, after \
                the word “Bearer”; POST /api/v1/sessions returns one for a username and a password.
                """),
            .invalidToken,
            .insufficientScope.explained(
                summary: "The personal token does not allow this.",
                """
                A personal token does only what its scopes say. The detail and the WWW-Authenticate \
                field name the missing one; make a token that has it in your settings on the site. \
                Some requests take the access token of a session.
                """,
                detail:
                    "This personal token lacks the scope \"list:write\". Create a token with it."
            ),
            .forbidden.explained(
                detail:
                    "You can’t decide about yourself, and only an administrator can decide about moderators."
            ), .originNotAllowed,
            .notFound.explained(
                """
                There is nothing at this address: it never existed, it is gone, or the user may not \
                see it. Only its owner can see a private list.
                """,
                detail: "There is no such game here."),
            .methodNotAllowed, .requestTimeout, .conflict, .listFull, .duplicateEntry,
            .usernameTaken,
            .preconditionFailed,
            .preconditionRequired.explained(
                detail: """
                    Say which version to replace: If-Match with the ETag of /api/v1/me/list, or \
                    "If-Match: *" for any.
                    """),
            .contentTooLarge, .addressTooLong, .unsupportedMediaType, .expectationFailed,
            .unprocessableContent.explained(
                summary:
                    "The game doesn't exist or isn't on that platform, or the name isn't available.",
                detail: "Game 71 is not on platform 48."),
            .invalidMembers, .idempotencyKeyReused, .weakPassword, .tooManyRequests,
            .tooManyAttempts,
            .headerTooLarge, .internalServerError, .notImplemented,
            .badGateway.explained(detail: "The sign-in provider's response could not be trusted."),
            .unavailable, .maintenance, .versionNotSupported,
        ] + ofAccounts

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// - Returns: `nil` if no kind has the name.
    static func named(_ name: String) -> ProblemKind? { byName[name] }

    static let listFull = ProblemKind(
        "list-full", .conflict,
        "The list is full",
        "The list is full.",
        "A list has five places. Remove an entry first, or change one.",
        detail: "A list has at most five entries.")

    static let duplicateEntry = ProblemKind(
        "duplicate-entry", .conflict,
        "The game is already on the list",
        "The list already has the game for that platform.",
        """
        A list can have each game only once for a platform. Change the existing entry, or \
        choose another platform.
        """,
        detail: "Game 71 for platform 6 is already on the list.")

    static let usernameTaken = ProblemKind(
        "username-taken", .conflict,
        "The username is taken",
        "Someone else has that username.",
        """
        Usernames must be unique, and must not look too much like each other. Choose \
        another one. A name that was given up recently may still redirect to its former \
        owner.
        """,
        detail: "“rob” is taken, or too close to another name.")

    static let weakPassword = ProblemKind(
        "weak-password", .unprocessableContent,
        "The password is too weak",
        "The new password is too weak.",
        "The password is too short, too long, or too easy to guess. The detail says which.",
        detail: "A password has at least 8 characters.")

    static let tooManyAttempts = ProblemKind(
        "too-many-attempts", .tooManyRequests,
        "Too many attempts",
        "Too many attempts to sign in, sign up or change a name.",
        """
        Attempts with passwords, names and new accounts are limited. Wait as many \
        seconds as Retry-After says.
        """,
        detail: "Too many attempts. Try again in 30 seconds.",
        fields: [.retryAfter])
}
