import Endpoints
import HTTP
import HTTPTypes
import JSON

/// Short responses about the state of the server, for load balancers and monitors.
enum Signals {
    /// Where load balancers and monitors ask again and again.
    static let paths: Set = ["/ping", "/health"]

    static let routes = [
        Route(
            .get, "/ping",
            .service(
                .file, "ping", "Check that the server responds",
                "For load balancers. The database is not queried, and the rate limits don't count it."
            ),
            returns: .response(word("pong\n", "The server responds.")), caching: .constant
        ) { _ in signal("pong\n") },

        Route(
            .get, "/health",
            .service(
                .file, "health", "Check that the server can serve requests",
                """
                For load balancers. Each loop asks the database at most once a second. The body says \
                what is missing. While the database can't be reached, a server that may serve \
                from memory (CACHE_STALE_SECONDS) is healthy.
                """),
            returns: .response(
                word("ok\n", "The server can serve requests."),
                word(
                    "stopping\n", "The server can't serve requests.",
                    status: .serviceUnavailable)),
            caching: .never, costs: .nothing
        ) { context in
            let services = context.services
            guard let problem = await services.health.problem(asking: services.store) else {
                return signal("ok\n")
            }
            if problem == .noDatabase, services.settings.cache.staleness > .zero {
                return signal("ok\n")
            }
            return signal("\(problem)\n", status: .serviceUnavailable)
        },

        // There is no line feed at the end: a program may compare the whole body.
        Route(
            .get, "/api/v0/ping", .v0("v0Ping", "Check that the server responds"),
            returns: .response(word("pong", "The server responds.")), caching: .never
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
    ) -> ResponseDescription {
        ResponseDescription(
            status: status, text: text,
            contents: [
                .init(
                    type: "text/plain",
                    schema: Schema(
                        ["type": "string", "description": "A word."], example: .string(word)))
            ])
    }
}
