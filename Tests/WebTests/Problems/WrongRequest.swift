import TestSupport

/// A request of the API that is wrong, and what the response says to programs.
struct WrongRequest: Sendable {
    enum Sender: Sendable {
        case nobody
        /// Has two games on their list, and no password.
        case someone
        /// Has a password.
        case account
        /// Sends a token that isn't valid.
        case stranger
        /// Has a personal token that allows to read.
        case reader
    }

    let sender: Sender
    let method: String
    let path: String
    var json: String?
    var type = "application/json"
    var fields: [(String, String)] = []
    /// Whether people need an invitation at the site.
    var isElsewhere = false
    /// The status, the kind, and the parameter or the members with the kinds of their errors.
    let says: String

    init(
        _ sender: Sender, _ method: String, _ path: String, _ json: String? = nil,
        fields: [(String, String)] = [], type: String = "application/json",
        isElsewhere: Bool = false, says: String
    ) {
        self.sender = sender
        self.method = method
        self.path = path
        self.json = json
        self.fields = fields
        self.type = type
        self.isElsewhere = isElsewhere
        self.says = says
    }

    private static func list(_ entries: String, says: String) -> WrongRequest {
        WrongRequest(
            .someone, "PUT", "/me/list", #"{"entries": \#(entries)}"#, fields: [("If-Match", "*")],
            says: says)
    }

    private static let portal = #"{"gameId": 71, "platformId": 6}"#
    private static let uncharted = #"{"gameId": 120, "platformId": 48}"#
    private static let none = "00000000-0000-4000-8000-000000000000"
    private static let account = ContractSite.credentials("nobody-here")
    private static func text(_ length: Int) -> String { String(repeating: "x", count: length) }

    static let all: [WrongRequest] = parameters + tokens + bodies + lists + accounts + states

    /// Of the query, the path and the header.
    private static let parameters: [WrongRequest] = [
        .init(.nobody, "GET", "/games", says: "400 invalid-parameter: search"),
        .init(.nobody, "GET", "/games?search=", says: "400 invalid-parameter: search"),
        .init(.nobody, "GET", "/games?search=\(text(101))", says: "400 invalid-parameter: search"),
        .init(.nobody, "GET", "/games?ids=", says: "400 invalid-parameter: ids"),
        .init(.nobody, "GET", "/games?ids=1,x", says: "400 invalid-parameter: ids"),
        .init(.nobody, "GET", "/games?ids=71&colour=red", says: "400 invalid-parameter: colour"),
        .init(.nobody, "GET", "/games?ids=71&ids=72", says: "400 invalid-parameter: ids"),
        .init(.nobody, "GET", "/games/x", says: "404 not-found"),
        .init(.nobody, "GET", "/games/71?limit=1", says: "400 invalid-parameter: limit"),
        .init(.nobody, "GET", "/users", says: "400 invalid-parameter: search"),
        .init(.nobody, "GET", "/users?search=%20", says: "400 invalid-parameter: search"),
        .init(.nobody, "GET", "/users?search=a&limit=0", says: "400 invalid-parameter: limit"),
        .init(.nobody, "GET", "/users?search=a&limit=101", says: "400 invalid-parameter: limit"),
        .init(.nobody, "GET", "/users?search=a&limit=ten", says: "400 invalid-parameter: limit"),
        .init(.nobody, "GET", "/users/nobody-here", says: "404 not-found"),
        .init(.nobody, "GET", "/entries?cursor=mine", says: "400 invalid-cursor: cursor"),
        .init(.nobody, "GET", "/entries?game=portal", says: "400 invalid-parameter: game"),
        .init(.nobody, "GET", "/entries?tag=a,b", says: "400 invalid-parameter: tag"),
        .init(.nobody, "GET", "/entries?rating=6", says: "400 invalid-parameter: rating"),
        .init(.nobody, "GET", "/entries?platform=nothing", says: "404 not-found"),
        .init(.nobody, "GET", "/entries?search=%ff", says: "400 bad-request"),
        .init(
            .nobody, "GET", "/platforms/6/ranking?quotes=6", says: "400 invalid-parameter: quotes"),
        .init(.nobody, "GET", "/nothing", says: "404 not-found"),
        .init(.nobody, "DELETE", "/games", says: "405 method-not-allowed"),
        .init(.someone, "GET", "/me/import/rows?leftOut=1", says: "400 invalid-parameter: leftOut"),
        .init(
            .nobody, "GET", "/games/71", fields: [("If-Match", "x")], says: "400 bad-request"),
        .init(.someone, "DELETE", "/me?username=ada", says: "400 invalid-parameter: username"),
        .init(
            .someone, "POST", "/circles", "{}", fields: [("Idempotency-Key", "short")],
            says: "400 invalid-parameter: Idempotency-Key"),
        .init(
            .someone, "POST", "/circles", "{}", fields: [("Idempotency-Key", "0000000000000000")],
            says: "422 unprocessable-content: Idempotency-Key"),
        .init(
            .someone, "PATCH", "/me", "{}",
            fields: [("Idempotency-Key", "8e03978e-40d5-43e8-bc93-6894a57f9324")],
            says: "400 invalid-parameter: Idempotency-Key"),
    ]

    private static let tokens: [WrongRequest] = [
        .init(.nobody, "GET", "/me", says: "401 unauthorized"),
        .init(.stranger, "GET", "/me", says: "401 invalid-token"),
        .init(.stranger, "GET", "", says: "401 invalid-token"),
        .init(.stranger, "GET", "/openapi.json", says: "401 invalid-token"),
        .init(.stranger, "GET", "/games/71", says: "401 invalid-token"),
        .init(.stranger, "GET", "/users/rob", says: "401 invalid-token"),
        .init(.stranger, "GET", "/platforms/6/ranking", says: "401 invalid-token"),
        .init(
            .nobody, "GET", "/users/rob", fields: [("Authorization", "Bearer")],
            says: "401 invalid-token"),
        .init(.nobody, "POST", "/me/list/entries", portal, says: "401 unauthorized"),
        .init(.reader, "PATCH", "/me", #"{"bio": "Me."}"#, says: "403 insufficient-scope"),
        .init(.reader, "DELETE", "/me?username=rob", says: "403 insufficient-scope"),
        .init(.someone, "GET", "/moderation/cases", says: "403 moderators-only"),
        .init(
            .nobody, "POST", "/users", account,
            fields: [("Origin", "https://else.example")], says: "403 origin-not-allowed"),
    ]

    private static let bodies: [WrongRequest] = [
        .init(.someone, "PATCH", "/me", "{", says: "400 malformed-document"),
        .init(.someone, "PATCH", "/me", #"{"bio": "", "bio": ""}"#, says: "400 malformed-document"),
        .init(
            .someone, "PATCH", "/me", "{}", type: "text/plain", says: "415 unsupported-media-type"),
        .init(
            .someone, "PATCH", "/me", "{}", fields: [("Content-Encoding", "gzip")],
            says: "415 unsupported-media-type"),
        .init(.someone, "PATCH", "/me", text(70_000), says: "413 content-too-large"),
        .init(.someone, "PATCH", "/me", "[]", says: "422 invalid-members:  wrong-type"),
        .init(
            .someone, "PATCH", "/me", #"{"colour": 1, "bio": 1}"#,
            says: "422 invalid-members: /bio wrong-type, /colour unknown-member"),
        .init(
            .someone, "PATCH", "/me", #"{"bio": null}"#,
            says: "422 invalid-members: /bio wrong-type"),
        .init(
            .someone, "PATCH", "/me", #"{"bio": "\#(text(301))"}"#,
            says: "422 invalid-members: /bio too-long"),
        .init(
            .someone, "PATCH", "/me", #"{"displayName": "  "}"#,
            says: "422 invalid-members: /displayName too-short"),
        .init(
            .someone, "PATCH", "/me", #"{"displayName": "\#(text(81))"}"#,
            says: "422 invalid-members: /displayName too-long"),
        .init(
            .someone, "PATCH", "/me", #"{"username": "a b"}"#,
            says: "422 invalid-members: /username wrong-form"),
        .init(
            .someone, "PATCH", "/me", #"{"username": "a"}"#,
            says: "422 invalid-members: /username too-short"),
        .init(
            .someone, "PATCH", "/me", #"{"username": "\#(text(32))"}"#,
            says: "422 invalid-members: /username too-long"),
        .init(
            .someone, "PATCH", "/me", #"{"visibility": "secret"}"#,
            says: "422 invalid-members: /visibility unknown-value"),
        .init(
            .someone, "POST", "/me/tokens", #"{"name": "x", "scopes": []}"#,
            says: "422 invalid-members: /scopes too-few"),
        .init(
            .someone, "POST", "/me/tokens", #"{"name": "", "scopes": "read", "expiresInDays": 7}"#,
            says: "422 invalid-members: /name too-short, /scopes wrong-type, "
                + "/expiresInDays unknown-value"),
        .init(
            .someone, "POST", "/me/tokens", #"{"name": "x", "scopes": ["read", "fly"]}"#,
            says: "422 invalid-members: /scopes/1 unknown-value"),
        .init(
            .someone, "POST", "/reports", #"{"kind": "entry", "reason": "spam"}"#,
            says: "422 invalid-members: /entry missing"),
        .init(
            .someone, "POST", "/reports", #"{"kind": "list", "username": "zz", "reason": "dull"}"#,
            says: "422 invalid-members: /reason unknown-value"),
        .init(
            .someone, "POST", "/reports",
            #"{"kind": "entry", "entry": "\#(none)", "reason": "spam"}"#,
            says: "422 invalid-members: /entry unknown-entry"),
        .init(
            .someone, "POST", "/reports",
            #"{"kind": "circle", "circle": "\#(none)", "reason": "spam"}"#,
            says: "422 invalid-members: /circle unknown-circle"),
        .init(
            .someone, "POST", "/reports",
            #"{"kind": "list", "username": "nobody-here", "reason": "spam"}"#,
            says: "422 invalid-members: /username unknown-user"),
        .init(
            .someone, "POST", "/reports",
            #"{"kind": "entry", "entry": "7", "reason": "spam", "note": "\#(text(501))"}"#,
            says: "422 invalid-members: /entry wrong-form, /note too-long"),
        .init(.someone, "POST", "/circles", "{}", says: "422 invalid-members: /name missing"),
        .init(
            .someone, "POST", "/me/import", "name\n", type: "application/json",
            says: "415 unsupported-media-type"),
    ]

    private static let lists: [WrongRequest] = [
        .init(.someone, "PUT", "/me/list", #"{"entries": []}"#, says: "428 precondition-required"),
        .init(
            .someone, "PUT", "/me/list", #"{"entries": []}"#, fields: [("If-Match", "\"x\"")],
            says: "412 precondition-failed"),
        list("null", says: "422 invalid-members: /entries wrong-type"),
        list(
            "[\(Array(repeating: portal, count: 6).joined(separator: ","))]",
            says: "422 invalid-members: /entries too-many"),
        list("[7]", says: "422 invalid-members: /entries/0 wrong-type"),
        list(
            "[{}]",
            says: "422 invalid-members: /entries/0/gameId missing, /entries/0/platformId missing"),
        list(
            "[\(portal), \(uncharted), \(portal)]",
            says: "422 invalid-members: /entries/0 duplicate, /entries/2 duplicate"),
        list(
            #"[\#(portal), {"gameId": "x", "platformId": 6}, "#
                + #"{"gameId": 71, "platformId": 6, "rating": 9, "comment": "\#(text(1001))"}]"#,
            says: "422 invalid-members: /entries/1/gameId wrong-type, /entries/2/comment too-long, "
                + "/entries/2/rating out-of-range, /entries/0 duplicate, /entries/2 duplicate"),
        list(
            #"[{"gameId": 71.5, "platformId": 0, "tags": ["a", "#
                + #""b,c"]}, {"gameId": 71, "platformId": 6, "tags": "a"}]"#,
            says: "422 invalid-members: /entries/0/gameId wrong-type, "
                + "/entries/0/platformId out-of-range, /entries/0/tags/1 wrong-form, "
                + "/entries/1/tags wrong-type"),
        list(
            #"[{"gameId": 71, "platformId": 6, "tags": ["\#(text(40))"]}]"#,
            says: "422 invalid-members: /entries/0/tags/0 too-long"),
        list(
            #"[{"gameId": 71, "platformId": 6, "tags": ["a", "b", "c", "d", "e", "f"]}]"#,
            says: "422 invalid-members: /entries/0/tags too-many"),
        list(
            #"[{"gameId": 2000000000, "platformId": 6}, {"gameId": 71, "platformId": 999999}, "#
                + #"{"gameId": 117, "platformId": 6}]"#,
            says: "422 invalid-members: /entries/0/gameId unknown-game, "
                + "/entries/1/platformId unknown-platform, /entries/2/platformId not-on-platform"),
        .init(.someone, "POST", "/me/list/entries", portal, says: "409 duplicate-entry"),
        .init(
            .someone, "POST", "/me/list/entries",
            #"{"gameId": 117, "platformId": 48, "position": 5}"#,
            says: "422 invalid-members: /position out-of-range"),
        .init(
            .someone, "POST", "/me/list/entries",
            #"{"gameId": 117, "platformId": 48, "position": 6}"#,
            says: "422 invalid-members: /position out-of-range"),
        .init(.someone, "DELETE", "/me/list/entries/\(none)", says: "404 not-found"),
    ]

    private static let accounts: [WrongRequest] = [
        .init(.nobody, "POST", "/sessions", account, says: "401 wrong-credentials"),
        .init(
            .nobody, "POST", "/sessions", "{}",
            says: "422 invalid-members: /username missing, /password missing"),
        .init(
            .nobody, "POST", "/sessions/refresh", #"{"refreshToken": "x"}"#,
            says: "401 invalid-refresh-token"),
        // What gets the next token may have the old one with it.
        .init(
            .stranger, "POST", "/sessions/refresh", #"{"refreshToken": "x"}"#,
            says: "401 invalid-refresh-token"),
        .init(.stranger, "POST", "/sessions", account, says: "401 wrong-credentials"),
        .init(
            .nobody, "POST", "/recovery",
            #"{"username": "nobody-here", "code": "x", "newPassword": "carpet lemon 17"}"#,
            says: "401 wrong-credentials"),
        .init(
            .nobody, "POST", "/password-resets", #"{"account": "nobody-here"}"#,
            says: "403 no-mail"),
        .init(
            .nobody, "POST", "/users", ContractSite.credentials("rob"), says: "409 username-taken"),
        .init(
            .nobody, "POST", "/users", #"{"username": "newest", "password": "password"}"#,
            says: "422 weak-password"),
        .init(
            .nobody, "POST", "/users", ContractSite.credentials("admin"),
            says: "422 unprocessable-content"),
        .init(
            .nobody, "POST", "/users", ContractSite.credentials("newest"), isElsewhere: true,
            says: "403 invitation-required"),
        .init(
            .nobody, "POST", "/users",
            #"{"username": "newest", "password": "tulip staple 42", "invitation": "\#(text(42))A"}"#,
            isElsewhere: true, says: "403 invalid-invitation"),
        .init(
            .account, "PUT", "/me/password",
            #"{"currentPassword": "no", "newPassword": "carpet lemon 17"}"#,
            says: "403 wrong-password"),
        .init(
            .account, "POST", "/me/tokens", #"{"name": "x", "scopes": ["read"], "password": "no"}"#,
            says: "403 wrong-password"),
        .init(
            .account, "PUT", "/me/mail-address", #"{"address": "a@b.example", "password": "no"}"#,
            says: "403 no-mail"),
        .init(
            .someone, "PUT", "/me/password", #"{"newPassword": "carpet lemon 17"}"#,
            says: "403 password-not-set"),
        .init(.someone, "DELETE", "/sessions/current", says: "409 conflict"),
    ]

    private static let states: [WrongRequest] = [
        .init(.someone, "PUT", "/me/following/{oneself}", says: "409 conflict"),
        .init(.someone, "PUT", "/me/following/nobody-here", says: "404 not-found"),
        .init(.someone, "PUT", "/me/blocks/{oneself}", says: "409 conflict"),
        .init(.someone, "GET", "/circles/\(none)", says: "404 not-found"),
        .init(
            .someone, "POST", "/me/circles", #"{"invitation": "\#(text(42))A"}"#,
            says: "403 invalid-invitation"),
        .init(
            .someone, "POST", "/me/circles", #"{"invitation": "x"}"#,
            says: "422 invalid-members: /invitation wrong-form"),
        .init(.someone, "PUT", "/entries/\(none)/heart", says: "404 not-found"),
        .init(.someone, "GET", "/me/import", says: "404 not-found"),
    ]
}
