import Endpoints
import FaveGames
import HTTPTypes
import Identity

/// What a client of the API learns first.
enum ServiceAPI {
    static let routes = [
        Route(
            .get, "/api/v1",
            .service(
                .api, "getService", "Get the version, the limits and the addresses of this service"),
            returns: .json(service, "The service."), caching: .constant
        ) { context in context.services }
    ]

    private static let limits = ObjectRepresentation<WebSettings>(
        "ServiceLimits", "How much one client may do.",
        [
            .init(
                "readsPerMinute", .integer(0..., example: 600),
                "The units of reads for each address and each user; 0 means any number."
            ) { $0.rateLimits.reads },
            .init(
                "writesPerMinute", .integer(0..., example: 120),
                "The units of writes for each address and each user; 0 means any number."
            ) { $0.rateLimits.writes },
            .init("entriesPerList", .integer(1..., example: FaveList.limit), "The size of a list.")
            {
                _ in FaveList.limit
            },
        ])

    private static let links = ObjectRepresentation<String>(
        "ServiceLinks", "Addresses.",
        [
            .init("site", address(""), "The site for people.") { $0 },
            .init("openapi", address("/api/v1/openapi.json"), "The description of every operation.")
            {
                "\($0)/api/v1/openapi.json"
            },
            .init("documentation", address("/api"), "The same as a page.") { "\($0)/api" },
            .init("problems", address("/api/problems"), "Explains each kind of problem.") {
                "\($0)/api/problems"
            },
        ])

    private static func address(_ path: String) -> TextRepresentation {
        .text(format: "uri", example: Example.site + path)
    }

    private static let service = ObjectRepresentation<Services>(
        "Service", "The service.",
        [
            .init("name", .text(1..., example: Example.siteName), "The name of the site.") {
                $0.settings.site.name
            },
            .init(
                "version", .text(example: Release.version),
                "The version of the server and of the API (semantic versioning). Within a major version, "
                    + "members, operations and values of enumerations are only added."
            ) { _ in Release.version },
            .init(
                "signUp", EnumerationRepresentation<AccountPolicy.SignUp>(),
                "The people who may sign up: everyone, people with an invitation, or no one."
            ) { $0.accounts.policy.signUp },
            .init(
                "hasPasswords", .boolean(example: true),
                "Whether people can sign up and in with a password; otherwise only with a provider."
            ) { $0.accounts.policy.hasLocalAccounts },
            .init("limits", limits) { $0.settings },
            .init("links", links) { $0.settings.publicURL },
        ])
}
