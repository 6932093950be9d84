import HTTPTypes
import Views

/// The kinds of problems that clients can tell apart. The `type` of a problem document is the
/// address of the page that explains its kind. A name never changes once it has been published.
enum ProblemKind: String, CaseIterable, Sendable {
    case badRequest = "bad-request"
    case malformedDocument = "malformed-document"
    case invalidCursor = "invalid-cursor"
    case unauthorized = "unauthorized"
    case invalidToken = "invalid-token"
    case insufficientScope = "insufficient-scope"
    case forbidden = "forbidden"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case conflict = "conflict"
    case listFull = "list-full"
    case duplicateEntry = "duplicate-entry"
    case usernameTaken = "username-taken"
    case preconditionFailed = "precondition-failed"
    case preconditionRequired = "precondition-required"
    case contentTooLarge = "content-too-large"
    case addressTooLong = "address-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case expectationFailed = "expectation-failed"
    case unprocessableContent = "unprocessable-content"
    case invalidMembers = "invalid-members"
    case idempotencyKeyReused = "idempotency-key-reused"
    case weakPassword = "weak-password"
    case tooManyRequests = "too-many-requests"
    case tooManyAttempts = "too-many-attempts"
    case headerTooLarge = "header-too-large"
    case internalServerError = "internal-server-error"
    case notImplemented = "not-implemented"
    case badGateway = "bad-gateway"
    case unavailable = "unavailable"
    case versionNotSupported = "version-not-supported"

    var status: HTTPResponse.Status {
        switch self {
        case .badRequest, .malformedDocument, .invalidCursor: .badRequest
        case .unauthorized, .invalidToken: .unauthorized
        case .insufficientScope, .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .requestTimeout: .requestTimeout
        case .conflict, .listFull, .duplicateEntry, .usernameTaken: .conflict
        case .preconditionFailed: .preconditionFailed
        case .preconditionRequired: .preconditionRequired
        case .contentTooLarge: .contentTooLarge
        case .addressTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .unprocessableContent, .invalidMembers, .weakPassword, .idempotencyKeyReused:
            .unprocessableContent
        case .tooManyRequests, .tooManyAttempts: .tooManyRequests
        case .headerTooLarge: .requestHeaderFieldsTooLarge
        case .internalServerError: .internalServerError
        case .notImplemented: .notImplemented
        case .badGateway: .badGateway
        case .unavailable: .serviceUnavailable
        case .versionNotSupported: .httpVersionNotSupported
        }
    }

    /// What the kind means and what to do about it; shown on the kind's page.
    var explanation: String { text.explanation }

    /// The same for every occurrence of the kind, RFC 9457 section 3.1.3.
    var title: String { text.title }

    /// What the kind means for an operation of the API, in one sentence.
    var summary: String { text.summary }

    /// An example of a problem's detail.
    var exampleDetail: String { text.detail }

    private struct Text {
        let title: String
        let summary: String
        let explanation: String
        let detail: String

        init(_ title: String, _ summary: String, _ explanation: String, detail: String) {
            self.title = title
            self.summary = summary
            self.explanation = explanation
            self.detail = detail
        }
    }

    private var text: Text {
        switch self {
        case .badRequest:
            Text(
                "The request is malformed",
                "A query parameter or header field can't be read.",
                """
                Something in the address, the query or the header can't be read; the detail says \
                what. Repeating the same request fails again.
                """,
                detail: "\"limit\" must be a whole number from 1 to 100.")
        case .malformedDocument:
            Text(
                "The body is not JSON",
                "The body can't be parsed.",
                """
                The body is declared as JSON, but isn't: the detail says at which byte parsing \
                fails. Member names must be unique, and the text must be UTF-8.
                """,
                detail: "The body is not valid JSON: at byte 12, expected a comma or }.")
        case .invalidCursor:
            Text(
                "Invalid cursor",
                "The cursor was not made by this server.",
                """
                Cursors come from “nextCursor”, “previousCursor” and Link fields. They are \
                encrypted, so clients can't make or change them; a very old one may no longer be \
                valid. Start again without a cursor.
                """,
                detail: "\"cursor\" was not made by this server. Start again without it.")
        case .unauthorized:
            Text(
                "Authentication required",
                "There is no bearer token, or the credentials are wrong.",
                """
                You need to sign in for this. Send an access token in the Authorization field, \
                after the word “Bearer”; POST /api/v1/sessions returns one for a username and a \
                password. A wrong username or password gets this error, too.
                """,
                detail: "This needs a bearer token in the Authorization field.")
        case .invalidToken:
            Text(
                "Invalid token",
                "The bearer token is not valid.",
                """
                The access token has expired, its session has ended, or this server doesn't \
                accept tokens from its issuer. Get a new one with the refresh token, or sign in \
                again.
                """,
                detail: "The bearer token is not valid, or has expired.")
        case .insufficientScope:
            Text(
                "Insufficient scope",
                "The personal token does not allow this.",
                """
                A personal token does only what its scopes say. The detail and the \
                WWW-Authenticate field name the missing one; make a token that has it in your \
                settings on the site. Some requests take the access token of a session.
                """,
                detail:
                    "This personal token doesn't have the scope \"list:write\". Make one that has.")
        case .forbidden:
            Text(
                "Not allowed",
                "The user may not do this.",
                """
                The user is known, but may not do this. Another token won't help; the detail \
                says why.
                """,
                detail: "This site isn’t taking new accounts at the moment.")
        case .notFound:
            Text(
                "Not found",
                "It doesn't exist, or the user may not see it.",
                """
                There is nothing at this address: it never existed, it is gone, or the user may \
                not see it. Only its owner can see a private list.
                """,
                detail: "There is no such game here.")
        case .methodNotAllowed:
            Text(
                "Method not allowed",
                "The address supports other methods.",
                "The address exists, but supports other methods: the Allow field names them.",
                detail: "This address only supports GET, HEAD, OPTIONS.")
        case .requestTimeout:
            Text(
                "The request took too long to arrive",
                "The header or the body did not arrive in time.",
                """
                The header or the body did not arrive in time, so the connection was closed. \
                Send the request again.
                """,
                detail: "The request did not arrive in time.")
        case .conflict:
            Text(
                "Conflict",
                "The request conflicts with the current state.",
                """
                The request is valid in itself, but conflicts with the current state. The detail \
                says how; change that first, or ask for something else.
                """,
                detail: "This token doesn't belong to a session on this server.")
        case .listFull:
            Text(
                "The list is full",
                "The list is full.",
                "A list has five places. Remove an entry first, or change one.",
                detail: "A list has at most five entries.")
        case .duplicateEntry:
            Text(
                "The game is already on the list",
                "The list already has the game for that platform.",
                """
                A list can have each game only once for a platform. Change the existing entry, or \
                choose another platform.
                """,
                detail: "Game 71 for platform 6 is already on the list.")
        case .usernameTaken:
            Text(
                "The username is taken",
                "Someone else has that username.",
                """
                Usernames must be unique, and must not look too much like each other. Choose \
                another one. A name that was given up recently may still redirect to its former \
                owner.
                """,
                detail: "The username \"rob\" is taken, or too similar to a taken name.")
        case .preconditionFailed:
            Text(
                "Changed in the meantime",
                "The precondition failed. Nothing was changed.",
                """
                If-Match or another condition names a version that is no longer current: another \
                device or tab was faster. Nothing was changed. Read it again, and repeat the \
                change.
                """,
                detail: "It has changed since it was read. Read it again, and repeat the change.")
        case .preconditionRequired:
            Text(
                "If-Match required",
                "The request does not say what it replaces.",
                """
                This replaces everything, so it needs If-Match with the ETag of the version you \
                have read: otherwise changes made on another device could be lost. \
                “If-Match: *” replaces any state.
                """,
                detail: """
                    Say which list to replace: If-Match with the ETag of /api/v1/me/list, or \
                    "If-Match: *" for any.
                    """)
        case .contentTooLarge:
            Text(
                "The body is too large",
                "The body is larger than the server accepts.",
                "No request to this service needs a body this large.",
                detail: "The body is too large.")
        case .addressTooLong:
            Text(
                "The address is too long",
                "The request line is longer than the server accepts.",
                "The request line is longer than the server accepts.",
                detail: "The request line is too long.")
        case .unsupportedMediaType:
            Text(
                "Unsupported media type",
                "The body must be declared as JSON.",
                "The API accepts JSON only. Declare it with Content-Type: application/json.",
                detail: "The body must be JSON, with Content-Type: application/json.")
        case .expectationFailed:
            Text(
                "The expectation can't be met",
                "The Expect field is not `100-continue`.",
                "The server supports no other value of the Expect field than 100-continue.",
                detail: "The Expect field must be 100-continue.")
        case .unprocessableContent:
            Text(
                "The contents are not valid",
                "The game doesn't exist or isn't on that platform, or the name isn't available.",
                """
                The document can be read, but what it asks for isn't possible. The detail says \
                why.
                """,
                detail: "Game 71 is not on platform 48.")
        case .invalidMembers:
            Text(
                "Invalid members",
                "Members of the body are missing, unknown or wrong; “errors” lists all of them.",
                """
                The body is JSON, but not in the required form. The member “errors” lists \
                everything that is wrong with it, each with a JSON pointer (RFC 6901) and an \
                explanation.
                """,
                detail: "Some members of the document are not valid; \"errors\" says which and why."
            )
        case .idempotencyKeyReused:
            Text(
                "Idempotency key reused",
                "The Idempotency-Key was used for another request.",
                """
                An Idempotency-Key identifies one request. It was used before, with another \
                address or another body. Use a new key for each request, and an old one only to \
                repeat the same request.
                """,
                detail: "The Idempotency-Key was used for another request. Use a new one.")
        case .weakPassword:
            Text(
                "The password is too weak",
                "The new password is too weak.",
                "The password is too short, too long, or too easy to guess. The detail says which.",
                detail: "A password has at least 8 characters.")
        case .tooManyRequests:
            Text(
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
                    """)
        case .tooManyAttempts:
            Text(
                "Too many attempts",
                "Too many attempts to sign in, sign up or change a name.",
                """
                Attempts with passwords, names and new accounts are limited. Wait as many \
                seconds as Retry-After says.
                """,
                detail: "Too many attempts. Try again in 30 seconds.")
        case .headerTooLarge:
            Text(
                "The header is too large",
                "There are more header fields, or longer ones, than the server accepts.",
                "The request has more header fields, or longer ones, than the server accepts.",
                detail: "The header has too many fields.")
        case .internalServerError:
            Text(
                "Internal error",
                "Something went wrong in the server, which logged it under the id in “instance”.",
                """
                This is the server's fault, and has been logged. The member “instance” is the \
                request's id, which helps the operator to find it in the log.
                """,
                detail: "Something went wrong here. It has been logged.")
        case .notImplemented:
            Text(
                "Not implemented",
                "The server doesn't support what was asked for.",
                "The server doesn't support what was asked for.",
                detail: "\"format\" must be \"json\" or \"xml\".")
        case .badGateway:
            Text(
                "Bad response from another service",
                "Another service sent an invalid response.",
                "This needs another service, which sent an invalid response. Try again later.",
                detail: "The sign-in provider's answer could not be trusted.")
        case .unavailable:
            Text(
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
                detail: "The database cannot be reached. Try again in a moment.")
        case .versionNotSupported:
            Text(
                "Unsupported HTTP version",
                "The server speaks HTTP/1.1 and HTTP/1.0 only.",
                "The server speaks HTTP/1.1 and HTTP/1.0.",
                detail: "The server speaks HTTP/1.1 and HTTP/1.0.")
        }
    }

    /// The kind that says no more than its status.
    init(_ status: HTTPResponse.Status) {
        self =
            Self.allCases.first { $0.status.code == status.code }
            ?? (status.kind == .serverError ? .internalServerError : .badRequest)
    }

    /// The path of the page that explains the kind.
    var path: String { "\(Path.problems)/\(rawValue)" }
}
