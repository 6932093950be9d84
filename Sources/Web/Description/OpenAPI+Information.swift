import JSON

extension OpenAPI {
    static var information: JSONValue {
        [
            "title": "Fave Games",
            "version": "1",
            "summary": "Lists of five favourite games, and what everyone loves.",
            "description": .string(introduction.joined(separator: "\n\n")),
        ]
    }

    /// In CommonMark, limited to what `Prose` can read.
    private static var introduction: [String] {
        let problems = ProblemKind.ofEveryAddress.map { "\($0.status.code) (\($0.link))" }
        return [
            "A JSON API for everything the pages show and everything people do with their lists.",
            """
            **Dates** are RFC 3339 in UTC. **Ids** of games and platforms are IGDB's numbers; those \
            of users and entries are UUIDs. Lengths of texts are counted in Unicode scalars.
            """,
            """
            **Bodies** are JSON, at most 1 MiB, with `Content-Type: application/json`. Unknown \
            members are rejected, and so are repeated query parameters. Answers may get new members: \
            ignore those that you do not know.
            """,
            """
            **Tokens.** The current user's own data needs `Authorization: Bearer …`, with an access \
            token from `POST /api/v1/sessions` or from an issuer that the operator trusts.
            """,
            """
            **Errors** are problem documents (RFC 9457), `application/problem+json`. Their type is \
            the address of a page under [/api/problems](/api/problems) that explains it. Besides the \
            errors of each operation, any address may answer with HTTP's own: \
            \(problems.dropLast().joined(separator: ", ")) and \(problems.last ?? "").
            """,
            """
            **Pages.** Long lists come with “nextCursor” and “previousCursor”, and with ready-made \
            `Link` fields (RFC 8288). Cursors are signed and opaque.
            """,
            """
            **Conditional requests.** Answers to GET have a strong `ETag`; send it back as \
            `If-None-Match`, and get 304 if nothing has changed. `If-Match` gives 412 if something \
            has; replacing a whole document needs it, and gives 428 without. HEAD works wherever GET \
            does, and OPTIONS lists the methods.
            """,
            """
            **Repeating requests.** A POST that creates something accepts an `Idempotency-Key`: with \
            the same key and body it is carried out once within a day, and later answered with the \
            first answer and `Idempotency-Replayed: true`. Refused requests are not remembered.
            """,
            """
            **Rate limits.** Each address and each user may send a limited number of reads and of \
            writes a minute. `RateLimit` says how many are left; after a 429 wait as many seconds as \
            `Retry-After` says. A 304 isn't counted. In an answer with `Age`, which comes from a shared \
            cache, the limits are someone else's.
            """,
            """
            **Other sites.** Pages of any origin may read (CORS), and write with a token where the \
            operator allows it.
            """,
            """
            **Compression.** Public answers of 1 KiB and more are gzipped for clients that accept \
            it; answers to requests with a token never are.
            """,
            """
            **Request ids.** Each answer has `X-Request-ID`, which problem documents repeat as \
            “instance”. Quote it to the operator when something goes wrong.
            """,
        ]
    }
}

extension ProblemKind {
    /// A link to the page that explains the kind.
    var link: String { "[\(rawValue)](\(path))" }
}
