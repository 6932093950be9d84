import Endpoints
import HTTPTypes
import JSON

extension ResponseField {
    /// The header fields of the API's responses.
    static let all: [HTTPField.Name: ResponseField] = [
        .age: ResponseField(
            """
            How many seconds ago the server last knew that the response was current. Only if the \
            operator allows such responses (`CACHE_STALE_SECONDS`).
            """, Schema(["type": "integer", "minimum": 0], example: 3)),
        .allow: ResponseField(
            "The methods that the address supports.", .text(example: "GET, HEAD, OPTIONS"),
            isRequired: true),
        .cacheControl: ResponseField(
            """
            Caches must revalidate each time, unless the operator lets shared caches serve public \
            reads for some seconds (`s-maxage`). Responses to requests with a token, and all \
            errors, must not be stored.
            """, .text(example: "no-cache"), isRequired: true),
        .cacheStatus: ResponseField(
            """
            What the server's own cache did, RFC 9211: `hit` for a cached response, if the \
            database was asked, and nothing that it depends on has changed (`detail=checked`), or \
            the database can't be asked (`detail=unchecked`, only if the operator allows it); \
            `fwd=miss` for one that was made for this request, with `stored` if it is now cached. \
            Omitted for responses that are never cached.
            """, .text(example: "fave-games; hit; detail=checked")),
        .contentDisposition: ResponseField(
            "The file's name.", .text(example: "attachment; filename=\"couch-club-rob.json\""),
            isRequired: true),
        .eTag: ResponseField(
            "A strong tag of the body, for If-None-Match and If-Match.",
            .text(
                pattern: "^\"[!#-~]+\"$", example: "\"73411dde3f6809197d14ab5f30778bac\""),
            isRequired: true),
        .idempotencyReplayed: ResponseField(
            "Says that this is the response to an earlier request with the same key.",
            .constant("true")),
        .lastModified: ResponseField(
            "When the file was written.", .text(example: "Sat, 21 Nov 2026 10:55:31 GMT")),
        .link: ResponseField(
            """
            The addresses of this list's pages, RFC 8288: `rel="first"`, `rel="next"` unless this is \
            the last, and `rel="prev"` unless it is the first.
            """,
            .text(
                example: """
                    <\(Example.site)/api/v1/entries?limit=10&cursor=\(Example.cursor)>; rel="next", \
                    <\(Example.site)/api/v1/entries?limit=10>; rel="first"
                    """)),
        .location: ResponseField(
            "The address of what was created, or of what has moved.",
            .text(format: "uri-reference", example: "/api/v1/users/rob"), isRequired: true),
        .rateLimit: ResponseField(
            """
            For each policy that counted this request: how many units may be used at once (`r`), \
            and in how many seconds all are available again (`t`). Omitted where there is no limit.
            """, .text(example: "\"address-reads\";r=599;t=1")),
        .rateLimitPolicy: ResponseField(
            """
            How many units (`q`) may be used in how many seconds (`w`), separately for reads and \
            writes, for the address and for the token's user. Omitted where there is no limit.
            """, .text(example: "\"address-reads\";q=600;w=60")),
        .retryAfter: ResponseField(
            "When to try again, in seconds.",
            Schema(["type": "integer", "minimum": 1], example: 1)),
        .vary: ResponseField(
            "The request's fields that the response depends on.",
            .text(example: "Accept-Encoding, Authorization")),
        .wwwAuthenticate: ResponseField(
            "How to authenticate, RFC 6750 section 3.",
            .text(example: "Bearer realm=\"fave-games\", error=\"invalid_token\""),
            isRequired: true),
        .xRequestID: ResponseField(
            "The request's id, which is also in the server's log.",
            .text(example: Example.requestID), isRequired: true),
        .xRobotsTag: ResponseField(
            "`noindex` unless search engines may index the response.", .text(example: "noindex")),
    ]
}
