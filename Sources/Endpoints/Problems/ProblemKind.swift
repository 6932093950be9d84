package import HTTPTypes

/// A kind of problem that clients can tell apart. The `type` of a problem document is the address
/// of the page that explains its kind. A name never changes once it has been published.
///
/// The kinds here are those that any application has. An application adds its own, and may explain
/// these in its own words.
package struct ProblemKind: Sendable {
    /// The last part of the `type`, such as `not-found`.
    package let name: String
    package let status: HTTPResponse.Status
    /// The same for every occurrence of the kind, RFC 9457 section 3.1.3.
    package let title: String
    /// What the kind means for an operation of the API, in one sentence.
    package private(set) var summary: String
    /// What the kind means and what to do about it; shown on the kind's page.
    package private(set) var explanation: String
    /// An example of a problem's detail.
    package private(set) var exampleDetail: String
    /// The header fields that every response with this kind has.
    package let fields: [HTTPField.Name]
    /// Whether the server reports this kind for something that it has not read as a request.
    package let isBeforeRouting: Bool

    package init(
        _ name: String, _ status: HTTPResponse.Status, _ title: String, _ summary: String,
        _ explanation: String, detail: String, fields: [HTTPField.Name] = [],
        isBeforeRouting: Bool = false
    ) {
        self.name = name
        self.status = status
        self.title = title
        self.summary = summary
        self.explanation = explanation
        exampleDetail = detail
        self.fields = fields
        self.isBeforeRouting = isBeforeRouting
    }

    /// The same kind in an application's own words.
    package func explained(
        summary: String? = nil, _ explanation: String? = nil, detail: String? = nil
    ) -> ProblemKind {
        var kind = self
        if let summary { kind.summary = summary }
        if let explanation { kind.explanation = explanation }
        if let detail { kind.exampleDetail = detail }
        return kind
    }

    /// The kind that says no more than its status.
    package init(_ status: HTTPResponse.Status) {
        self =
            Self.plain.first { $0.status.code == status.code }
            ?? (status.kind == .serverError ? .internalServerError : .badRequest)
    }

    /// Where the pages are that explain the kinds.
    package static let directory = "/api/problems"

    /// The path of the page that explains the kind.
    package var path: String { "\(Self.directory)/\(name)" }

    /// A link to that page.
    package var link: String { "[\(name)](\(path))" }
}

extension ProblemKind: Hashable {
    package static func == (one: ProblemKind, other: ProblemKind) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ProblemKind {
    /// HTTP's own problems. Any address may respond with them, besides those of its operation.
    package static let ofEveryAddress: [ProblemKind] = [
        .methodNotAllowed, .requestTimeout, .contentTooLarge, .expectationFailed, .notImplemented,
        .versionNotSupported,
    ]

    /// One for each status that the frame and the server respond with.
    private static let plain: [ProblemKind] = [
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .requestTimeout,
        .conflict, .preconditionFailed, .preconditionRequired, .contentTooLarge, .addressTooLong,
        .unsupportedMediaType, .expectationFailed, .unprocessableContent, .tooManyRequests,
        .headerTooLarge, .internalServerError, .notImplemented, .badGateway, .unavailable,
        .versionNotSupported,
    ]

    package static let badRequest = ProblemKind(
        "bad-request", .badRequest,
        "The request is malformed",
        "The address, the query or the header can't be read.",
        """
        Something in the address, the query or the header can't be read; the detail says \
        what. Repeating the same request fails again.
        """,
        detail: "The query has a malformed percent-encoding.")

    package static let invalidParameter = ProblemKind(
        "invalid-parameter", .badRequest,
        "Invalid parameter",
        "A parameter of the query or a header field is missing, unknown or wrong; “parameter” names it.",
        """
        A parameter of the query, or a header field, is missing, is there twice, is not known at \
        this address, or has a value that it can't have. The member “parameter” is its name, and the \
        detail says what is wrong.
        """,
        detail: "\"limit\" must be a whole number from 1 to 100.")

    package static let malformedDocument = ProblemKind(
        "malformed-document", .badRequest,
        "The body is not JSON",
        "The body can't be parsed.",
        """
        The body is declared as JSON, but isn't: the detail says at which byte parsing \
        fails. Member names must be unique, and the text must be UTF-8.
        """,
        detail: "The body is not valid JSON: at byte 12, expected a comma or }.")

    package static let invalidCursor = ProblemKind(
        "invalid-cursor", .badRequest,
        "Invalid cursor",
        "The cursor was not made by this server.",
        """
        Cursors come from “nextCursor”, “previousCursor” and Link fields. They are \
        encrypted, so clients can't make or change them; a very old one may no longer be \
        valid. Start again without a cursor.
        """,
        detail: "\"cursor\" was not made by this server. Start again without it.")

    package static let unauthorized = ProblemKind(
        "unauthorized", .unauthorized,
        "Authentication required",
        "There is no bearer token.",
        """
        You need to sign in for this. Send an access token in the Authorization field, \
        after the word “Bearer”.
        """,
        detail: "This needs a bearer token in the Authorization field.",
        fields: [.wwwAuthenticate])

    package static let invalidToken = ProblemKind(
        "invalid-token", .unauthorized,
        "Invalid token",
        "The bearer token is not valid.",
        """
        The access token has expired, its session has ended, or this server doesn't \
        accept tokens from its issuer. Get a new one with the refresh token, or sign in \
        again.
        """,
        detail: "The bearer token is not valid, or has expired.",
        fields: [.wwwAuthenticate])

    package static let insufficientScope = ProblemKind(
        "insufficient-scope", .forbidden,
        "Insufficient scope",
        "The token does not allow this.",
        """
        A token does only what its scopes say. The detail and the WWW-Authenticate field \
        name the missing one.
        """,
        detail:
            "This token doesn't have the scope that this needs.")

    package static let forbidden = ProblemKind(
        "forbidden", .forbidden,
        "Not allowed",
        "The user may not do this.",
        """
        The user is known, but may not do this. Another token won't help; the detail \
        says why.
        """,
        detail: "This is for the site’s moderators only.")

    package static let originNotAllowed = ProblemKind(
        "origin-not-allowed", .forbidden,
        "Not allowed from this origin",
        "The request comes from a page of an origin that may not send it.",
        """
        A browser sent this for a page of another site, whose origin may not write here. The operator \
        can allow it.
        """,
        detail: "Pages of this origin may not write.")

    package static let notFound = ProblemKind(
        "not-found", .notFound,
        "Not found",
        "It doesn't exist, or the user may not see it.",
        """
        There is nothing at this address: it never existed, it is gone, or the user may \
        not see it.
        """,
        detail: "There is nothing at this address.")

    package static let methodNotAllowed = ProblemKind(
        "method-not-allowed", .methodNotAllowed,
        "Method not allowed",
        "The address supports other methods.",
        "The address exists, but supports other methods: the Allow field names them.",
        detail: "This address only supports GET, HEAD, OPTIONS.",
        fields: [.allow])

    package static let requestTimeout = ProblemKind(
        "request-timeout", .requestTimeout,
        "The request took too long to arrive",
        "The header or the body did not arrive in time.",
        """
        The header or the body did not arrive in time, so the connection was closed. \
        Send the request again.
        """,
        detail: "The request did not arrive in time.",
        isBeforeRouting: true)

    package static let conflict = ProblemKind(
        "conflict", .conflict,
        "Conflict",
        "The request conflicts with the current state.",
        """
        The request is valid in itself, but conflicts with the current state. The detail \
        says how; change that first, or ask for something else.
        """,
        detail: "This token doesn't belong to a session on this server.")

    package static let preconditionFailed = ProblemKind(
        "precondition-failed", .preconditionFailed,
        "Changed in the meantime",
        "The precondition failed. Nothing was changed.",
        """
        If-Match or another condition names a version that is no longer current: another \
        device or tab was faster. Nothing was changed. Read it again, and repeat the \
        change.
        """,
        detail: "It has changed since it was read. Read it again, and repeat the change.")

    package static let preconditionRequired = ProblemKind(
        "precondition-required", .preconditionRequired,
        "If-Match required",
        "The request does not say what it replaces.",
        """
        This replaces everything, so it needs If-Match with the ETag of the version you \
        have read: otherwise changes made on another device could be lost. \
        “If-Match: *” replaces any state.
        """,
        detail: """
            Say which version to replace: If-Match with its ETag, or "If-Match: *" for any.
            """)

    package static let contentTooLarge = ProblemKind(
        "content-too-large", .contentTooLarge,
        "The body is too large",
        "The body is larger than the server accepts.",
        "No request to this service needs a body this large.",
        detail: "The body is too large.",
        isBeforeRouting: true)

    package static let addressTooLong = ProblemKind(
        "address-too-long", .uriTooLong,
        "The address is too long",
        "The request line is longer than the server accepts.",
        "The request line is longer than the server accepts.",
        detail: "The request line is too long.",
        isBeforeRouting: true)

    package static let unsupportedMediaType = ProblemKind(
        "unsupported-media-type", .unsupportedMediaType,
        "Unsupported media type",
        "The body must be declared as JSON.",
        "The API accepts JSON only. Declare it with Content-Type: application/json.",
        detail: "The body must be JSON, with Content-Type: application/json.")

    package static let expectationFailed = ProblemKind(
        "expectation-failed", .expectationFailed,
        "The expectation can't be met",
        "The Expect field is not `100-continue`.",
        "The server supports no other value of the Expect field than 100-continue.",
        detail: "The Expect field must be 100-continue.",
        isBeforeRouting: true)

    package static let unprocessableContent = ProblemKind(
        "unprocessable-content", .unprocessableContent,
        "The contents are not valid",
        "What the document asks for isn't possible.",
        """
        The document can be read, but what it asks for isn't possible. The detail says \
        why.
        """,
        detail: "That isn't possible.")

    package static let invalidMembers = ProblemKind(
        "invalid-members", .unprocessableContent,
        "Invalid members",
        "Members of the body are missing, unknown or wrong; “errors” lists all of them.",
        """
        The body is JSON, but not in the required form. The member “errors” lists \
        everything that is wrong with it, each with a JSON pointer (RFC 6901), a kind and an \
        explanation.
        """,
        detail: "Some members of the document are not valid; \"errors\" says which and why.")

    package static let idempotencyKeyReused = ProblemKind(
        "idempotency-key-reused", .unprocessableContent,
        "Idempotency key reused",
        "The Idempotency-Key was used for another request.",
        """
        An Idempotency-Key identifies one request. It was used before, with another \
        address or another body. Use a new key for each request, and an old one only to \
        repeat the same request.
        """,
        detail: "The Idempotency-Key was used for another request. Use a new one.")

    package static let requestInProgress = ProblemKind(
        "request-in-progress", .conflict,
        "Request in progress",
        "Another request with the same Idempotency-Key is being carried out.",
        """
        The same request was sent before, and there is no response to it yet. Send it again \
        with the same Idempotency-Key after as many seconds as Retry-After says.
        """,
        detail: "The same request is being carried out. Send it again in a second.",
        fields: [.retryAfter])

    package static let tooManyRequests = ProblemKind(
        "too-many-requests", .tooManyRequests,
        "Too many requests",
        "The IP address or the user has used up what is allowed in a minute.",
        """
        Each IP address and each user may use a limited number of units a minute: \
        RateLimit-Policy says how many, and RateLimit how many are left. Most requests \
        cost one unit; the description of an operation says what it costs otherwise. Wait \
        as many seconds as Retry-After says.
        """,
        detail: """
            Reads from your address have used up the limit of 600 units a minute. Try \
            again in 1 second.
            """,
        fields: [.retryAfter])

    package static let headerTooLarge = ProblemKind(
        "header-too-large", .requestHeaderFieldsTooLarge,
        "The header is too large",
        "There are more header fields, or longer ones, than the server accepts.",
        "The request has more header fields, or longer ones, than the server accepts.",
        detail: "The header has too many fields.",
        isBeforeRouting: true)

    package static let internalServerError = ProblemKind(
        "internal-server-error", .internalServerError,
        "Internal error",
        "Something went wrong in the server, which logged it under the id in “instance”.",
        """
        This is the server's fault, and has been logged. The member “instance” is the \
        request's id, which helps the operator to find it in the log.
        """,
        detail: "Something went wrong here. It has been logged.")

    package static let notImplemented = ProblemKind(
        "not-implemented", .notImplemented,
        "Not implemented",
        "The server doesn't support what was asked for.",
        "The server doesn't support what was asked for.",
        detail: "\"format\" must be \"json\" or \"xml\".")

    package static let badGateway = ProblemKind(
        "bad-gateway", .badGateway,
        "Bad response from another service",
        "Another service sent an invalid response.",
        "This needs another service, which sent an invalid response. Try again later.",
        detail: "The other service's response could not be trusted.")

    package static let unavailable = ProblemKind(
        "unavailable", .serviceUnavailable,
        "Temporarily unavailable",
        """
        The server, its database or a service behind it is busy or unavailable. If it is \
        unknown whether a change was made, “detail” says so, and there is no Retry-After.
        """,
        """
        The server, its database or a service behind it is busy or unavailable for a \
        moment. Wait as many seconds as Retry-After says, and send the request again. If \
        the detail says so, it is unknown whether a change was made.
        """,
        detail: "We can’t reach our data right now. Try again in a moment.",
        fields: [.retryAfter])

    package static let maintenance = ProblemKind(
        "maintenance", .serviceUnavailable,
        "Under maintenance",
        "The service is under maintenance, and nothing can be changed. “detail” is its operator's message.",
        """
        The operator has stopped all changes for a while; the detail is their message. Nothing was \
        changed. Most of what can be read is still there. Wait at least as many seconds as Retry-After \
        says, and send the request again.
        """,
        detail: "We move to a new host until 15:00.",
        fields: [.retryAfter])

    package static let versionNotSupported = ProblemKind(
        "version-not-supported", .httpVersionNotSupported,
        "Unsupported HTTP version",
        "The server speaks HTTP/1.1 and HTTP/1.0 only.",
        "The server speaks HTTP/1.1 and HTTP/1.0.",
        detail: "The server speaks HTTP/1.1 and HTTP/1.0.",
        isBeforeRouting: true)
}
