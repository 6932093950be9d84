import Endpoints
import FaveGames
import Identity

extension V1 {
    static let session = ObjectRepresentation<SessionRecord>(
        "Session", "Somewhere that the user is signed in.",
        [
            .init("id", .uuid(example: Example.user), "The session's id.") { $0.id },
            .init(
                "kind", EnumerationRepresentation<SessionKind>(),
                "In a browser, or through the API."
            ) { $0.kind },
            .init(
                "device", .nullable(.text(1...80, example: "Firefox on Linux")),
                "What it was opened on; null if it did not say."
            ) { $0.origin.device },
            .init(
                "network", .nullable(.text(example: "203.0.113.0/24")),
                "The network that it was opened from; null if not known."
            ) { $0.origin.network },
            .init(
                "app", .nullable(.text(V1.tokenName)),
                "The app that the user has let in; null for the user's own."
            ) { $0.app?.name },
            .init(
                "scopes", .nullable(V1.scopes), "What the app may do; null for everything."
            ) { $0.app?.scopes },
            .init("createdAt", .date, "When it began.") { $0.createdAt },
            .init("seenAt", .date, "When it was last used, to about five minutes.") { $0.seenAt },
        ])

    // MARK: Personal tokens

    /// The members are named as in RFC 6749 section 5.1, but in camel case.
    static let tokens = ObjectRepresentation<SessionTokens>(
        "Tokens", "A session's tokens, named after RFC 6749 section 5.1.",
        [
            .init(
                "accessToken",
                .text(1..., example: "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhMjc0In0.c2ln"),
                "A JWT for the Authorization field."
            ) { $0.accessToken },
            .init("tokenType", .constant("Bearer"), "How the access token is sent.") { _ in
                "Bearer"
            },
            .init(
                "expiresIn", .integer(1..., example: 900),
                "How long the access token is valid, in seconds."
            ) { Int($0.expiresIn.components.seconds) },
            .init(
                "refreshToken",
                .text(1..., example: "Yb0yXy0nYF3b0kJq2Q8m7w.2m7wqk0nYF3b0kJYb0yXy0"),
                "Gets the next tokens; works once."
            ) { $0.refreshToken },
            .init("user", ownUser) { $0.user },
        ])
}
