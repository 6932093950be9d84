import HTTP
import HTTPTypes

/// A word about the server, for load balancers and monitors.
enum Signals {
    static let routes = [
        Route(
            .get, "/ping",
            .service(
                .file, "ping", "Check that the server answers",
                "For load balancers. The database is not asked, and the rate limits don't count it."
            ),
            answers: .response(word("pong\n", "It does.")), caching: .constant
        ) { _ in signal("pong\n") },

        Route(
            .get, "/ready",
            .service(
                .file, "ready", "Check that the server wants requests", "For load balancers."),
            answers: .response(
                word("ready\n", "It does."),
                word("stopping\n", "It is stopping.", status: .serviceUnavailable))
        ) { call in
            call.services.readiness.isReady
                ? signal("ready\n") : signal("stopping\n", status: .serviceUnavailable)
        },

        // Without the line end: a program may compare it.
        Route(
            .get, "/api/v0/ping", .v0("v0Ping", "Check that the server answers"),
            answers: .response(word("pong", "It does."))
        ) { _ in signal("pong") },
    ]

    private static func signal(_ word: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headerFields: [.contentType: MediaType.text.description, .cacheControl: "no-store"],
            body: Array(word.utf8))
    }

    private static func word(
        _ word: String, _ text: String, status: HTTPResponse.Status = .ok
    ) -> AnswerDescription {
        AnswerDescription(
            status: status, text: text,
            contents: [
                .init(
                    type: "text/plain",
                    schema: Schema(
                        ["type": "string", "description": "A word."], example: .string(word)))
            ])
    }
}
