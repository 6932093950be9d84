import Endpoints
import FaveGames
import HTTPTypes
import JSON
import Languages
import Sockets
import Views

extension OpenAPI {
    /// - Parameters:
    ///   - site: The site whose API this is.
    ///   - publicURL: The site's address.
    static func of(_ site: SiteIdentity, at publicURL: String) -> OpenAPI {
        OpenAPI(
            information: information(site, at: publicURL), server: publicURL,
            tags: APIOperation.Tag.all,
            webhooks: WebhookEvents.all, problems: ProblemKind.all,
            faults: FaultKind.all, fields: ResponseField.all,
            securitySchemes: securitySchemes,
            plainErrors: PlainErrors(prefix: "V0", schema: V0.error.schema) {
                [
                    "code": .string(V0Error.code($0.status)), "message": .string($0.exampleDetail),
                ]
            })
    }

    private static let securitySchemes: JSONValue = [
        "bearer": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description":
                "An access token from this server, or from an issuer that it trusts.",
        ],
        "personalToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "fave_pat_…",
            "description":
                "A token that a user made for a program, at /settings/tokens or with makeToken. Operations name the scope that it must have.",
        ],
    ]

    private static func information(_ site: SiteIdentity, at publicURL: String) -> JSONValue {
        let contact: (String, String) =
            switch site.contact {
            case .mail(let address): ("email", address.description)
            case .web(let address): ("url", address)
            case nil: ("url", publicURL + "/about")
            }
        return [
            "title": .string(site.name),
            "version": .string(Release.version),
            "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
            "contact": [
                "name": "The operator of this site", contact.0: .string(contact.1),
            ],
            "summary": .string(site.description.string(in: .en)),
            "description": .string(introduction.joined(separator: "\n\n")),
        ]
    }

    /// In CommonMark, limited to what `Prose` can read.
    private static var introduction: [String] {
        let problems = ProblemKind.ofEveryAddress.map { "\($0.status.code) (\($0.link))" }
        let sites = IPNetwork.siteAllowances.map { "a /\($0.prefixLength) may use \($0.allowance)" }
        return [
            "A JSON API for everything the pages show and everything people do with their lists.",
            """
            **Dates** are RFC 3339 in UTC. **Ids** of games and platforms are IGDB's numbers; those \
            of users and entries are UUIDs. Text lengths are counted in Unicode scalars.
            """,
            """
            **Bodies** are JSON, at most \(Site.bodyLimit >> 10) KiB, with \
            `Content-Type: application/json`. Unknown members are rejected, and so are unknown or \
            repeated query parameters. Responses may gain new members, and enumerations new values: \
            ignore members that you don't know, and take an unknown value as you would a missing one.
            """,
            """
            **Tokens.** The current user's own data needs `Authorization: Bearer …`, with an access \
            token from `POST /api/v1/sessions` or from an issuer that the operator trusts. A GET with a \
            token that has expired gets a 401, even if it needs none. Apps of others sign people in with \
            OAuth 2.1: `/.well-known/oauth-authorization-server`.
            """,
            """
            **Errors** are problem documents (RFC 9457), `application/problem+json`. Their `type` \
            is the address of a page under [/api/problems](/api/problems) that explains the error, and \
            “errors” lists everything that is wrong with a body, each with a pointer and a kind. \
            Besides the errors listed for each operation, any address may return those of HTTP: \
            \(problems.dropLast().joined(separator: ", ")) and \(problems.last ?? "").
            """,
            """
            **Pages.** Long lists come in pages, with “nextCursor”, “previousCursor” and \
            ready-made `Link` fields (RFC 8288). Cursors are encrypted.
            """,
            """
            **Conditional requests.** Most responses to GET have a strong `ETag`; send it back as \
            `If-None-Match`, and get a 304 if nothing has changed. With `If-Match`, a write gets \
            a 412 if something has; replacing a whole document requires it, and gets a 428 \
            without it. HEAD works wherever GET does, and OPTIONS lists the methods.
            """,
            """
            **Repeating requests.** Every POST that changes something accepts an `Idempotency-Key`: \
            with the same key and body it is carried out only once within a day. Repeats get the first \
            response, with `Idempotency-Replayed: true`, or a 409 while the first is being carried \
            out. Rejected requests are not recorded. A key is new and random, such as a UUID. PUT, \
            PATCH and DELETE can be repeated as they are, and refuse a key.
            """,
            """
            **Recency.** Responses are as recent as their requests: they show every write that was \
            acknowledged before. One with `Age` may be that many seconds older.
            """,
            """
            **Rate limits.** Each IP address and each user may use a limited number of units a \
            minute, separately for reads and writes. A request costs one unit unless its operation \
            says otherwise, whatever its status: a 304 costs what a 200 does. A response that the \
            server still has (`Cache-Status` says “hit”) costs a tenth of a unit. `RateLimit` says \
            how many units are left; after a 429, wait as many seconds as `Retry-After` says. A \
            /64 network counts as one IPv6 address, and \(sites.joined(separator: " and ")) \
            times as much. In a response with `Age`, which comes from a shared cache, the limits \
            are someone else's.
            """,
            """
            **Other sites.** Pages on any origin may read, and use everything that needs a token \
            (CORS). From a page, signing in and up, recovering an account and reporting are refused \
            with a 403 unless the operator allows them from its origin.
            """,
            """
            **Compression.** Public responses of 1 KiB or more are gzipped for clients that accept \
            it; responses to requests with a token never are.
            """,
            """
            **Request ids.** Each response has `X-Request-ID`, which problem documents repeat as \
            “instance”. Quote it to the operator when something goes wrong.
            """,
        ]
    }
}
