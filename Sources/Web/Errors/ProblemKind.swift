import HTTPTypes
import Views

/// What can go wrong, as clients tell it apart: the `type` of a problem document is the address of
/// the page that explains it. Names that were once given stay.
enum ProblemKind: String, CaseIterable, Sendable {
    case badRequest = "bad-request"
    case malformedDocument = "malformed-document"
    case invalidCursor = "invalid-cursor"
    case unauthorized = "unauthorized"
    case invalidToken = "invalid-token"
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
        case .forbidden: .forbidden
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

    /// The same for every occurrence, RFC 9457 section 3.1.3.
    var title: String { text.title }

    /// What it means and what to do about it.
    var explanation: String { text.explanation }

    private var text: (title: String, explanation: String) {
        switch self {
        case .badRequest:
            (
                "The request makes no sense",
                """
                Something in the address, its query or the header cannot be read. The detail says \
                what. Sent again as it is, the request fails again.
                """
            )
        case .malformedDocument:
            (
                "The body is not JSON",
                """
                The body says that it is JSON, and is not: the detail says at which byte it goes \
                wrong. Names must be unique, and the text UTF-8.
                """
            )
        case .invalidCursor:
            (
                "The cursor is not one of ours",
                """
                Cursors come from “nextCursor” and from Link fields. They are signed, and cannot be \
                made or changed by hand; one that is very old may no longer be known. Begin again \
                without it.
                """
            )
        case .unauthorized:
            (
                "Say who you are",
                """
                This is for somebody who is signed in. Send an access token in the Authorization \
                field, after the word “Bearer”; POST /api/v1/sessions gives one for a username and a \
                password. The same is said when that name and password do not belong together.
                """
            )
        case .invalidToken:
            (
                "The token is not valid",
                """
                The access token has expired, its session has ended, or it was never one that is \
                taken here. Get another one with the refresh token, or sign in again.
                """
            )
        case .forbidden:
            (
                "This is not allowed",
                """
                It is known who asks, and they may not do this. Another token does not help; the \
                detail says why.
                """
            )
        case .notFound:
            (
                "There is nothing here",
                """
                There is no such thing at this address: it never was, it is gone, or it is not for \
                whoever asks. Private lists are not found by anybody but their owners.
                """
            )
        case .methodNotAllowed:
            (
                "The method does not work here",
                "The address exists, and takes other methods: the Allow field names them."
            )
        case .requestTimeout:
            (
                "The request took too long to arrive",
                """
                The header or the body did not come in time, so the connection was closed. Send the \
                request again.
                """
            )
        case .conflict:
            (
                "It does not fit what is there",
                """
                The request is fine in itself, but what is there now stands against it. The detail \
                says what; change that first, or ask for something else.
                """
            )
        case .listFull:
            (
                "The list is full",
                "A list has five places. Remove an entry first, or change one of them."
            )
        case .duplicateEntry:
            (
                "The game is on the list already",
                """
                A list has each game once for a platform. Change the entry that is there, or take \
                another platform.
                """
            )
        case .usernameTaken:
            (
                "Somebody else has that username",
                """
                Usernames are unique, and so are those that only look alike. Choose another one. \
                One that somebody gave up a while ago may still lead to them.
                """
            )
        case .preconditionFailed:
            (
                "It has changed meanwhile",
                """
                If-Match or another condition names a state that is no longer there: somebody else, \
                or another tab, was faster. Nothing was changed. Read it again, and repeat the change \
                on what you got.
                """
            )
        case .preconditionRequired:
            (
                "Say what is to be replaced",
                """
                This replaces everything that is there, so it needs If-Match: the ETag of what you \
                have read, so that nothing is lost that another device has changed meanwhile. \
                “If-Match: *” replaces whatever is there.
                """
            )
        case .contentTooLarge:
            (
                "The body is too large",
                "No request of this service needs as much as was sent."
            )
        case .addressTooLong:
            ("The address is too long", "The request line is longer than the server takes.")
        case .unsupportedMediaType:
            (
                "The body is of the wrong type",
                "The API takes JSON only. Say so with Content-Type: application/json."
            )
        case .expectationFailed:
            (
                "The expectation cannot be met",
                "The only value of the Expect field that is known here is 100-continue."
            )
        case .unprocessableContent:
            (
                "The contents are not valid",
                "The document can be read, and what it asks for cannot be. The detail says why."
            )
        case .invalidMembers:
            (
                "Some members are not valid",
                """
                The body is JSON, but not of the form that is asked for. The member “errors” names \
                all that is wrong at once, each with a JSON pointer (RFC 6901) and a sentence.
                """
            )
        case .idempotencyKeyReused:
            (
                "The key was used for another request",
                """
                An Idempotency-Key stands for one request. What came with it before was sent to \
                another address, or with another body. Take a new key for each request, and the same \
                one only to send the very same again.
                """
            )
        case .weakPassword:
            (
                "The password is too weak",
                """
                It is too short or too long, or among the first that anybody would try. The detail \
                says which.
                """
            )
        case .tooManyRequests:
            (
                "Too many requests",
                """
                Every address and every user has a number of requests a minute; RateLimit-Policy says \
                how many, and RateLimit how many are left. Wait as many seconds as Retry-After says. \
                Answers that nothing has changed (304) are not counted.
                """
            )
        case .tooManyAttempts:
            (
                "Too many attempts",
                """
                Passwords cannot be tried as often as one likes, nor accounts made. Wait as many \
                seconds as Retry-After says.
                """
            )
        case .headerTooLarge:
            (
                "The header is too large",
                "The request has more header fields, or longer ones, than the server takes."
            )
        case .internalServerError:
            (
                "Something went wrong here",
                """
                This is our fault, and has been noted. The member “instance” is the number of the \
                request: whoever runs the server finds it in the log by that.
                """
            )
        case .notImplemented:
            ("This is not implemented", "The server does not know how to do what is asked for.")
        case .badGateway:
            (
                "Another service gave a bad answer",
                "The request needs another service, and its answer made no sense. Try again later."
            )
        case .unavailable:
            (
                "Back in a moment",
                """
                The server, its database or a service behind it is busy or away for a moment. Wait as \
                many seconds as Retry-After says, and send the request again. Whether a change was \
                made may be unknown if the detail says so.
                """
            )
        case .versionNotSupported:
            ("The version of HTTP is not known", "The server speaks HTTP/1.1 and HTTP/1.0.")
        }
    }

    /// The kind that says no more than a status.
    init(_ status: HTTPResponse.Status) {
        self =
            Self.allCases.first { $0.status.code == status.code }
            ?? (status.kind == .serverError ? .internalServerError : .badRequest)
    }

    /// Where it is explained.
    var path: String { "\(Path.problems)/\(rawValue)" }
}
