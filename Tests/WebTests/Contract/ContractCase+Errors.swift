import Foundation

extension ContractCase {
    private static let none = "00000000-0000-4000-8000-000000000000"
    private static let account = ContractSite.credentials("nobody-here")
    private static let doubles = Array(repeating: #"{"gameId": 71, "platformId": 6}"#, count: 5)
        .joined(separator: ", ")

    /// None of these changes anything.
    static let errors: [ContractCase] = [
        .init("listGames", "without a search", status: 400, at: "/api/v1/games"),
        .init(
            "listEntries", "at a cursor of one's own", status: 400,
            at: "/api/v1/entries?cursor=mine"),
        .init(
            "listEntries", "with a long search", status: 414,
            at: "/api/v1/entries?search=\(String(repeating: "x", count: 9000))"),
        .init("getGame", "that isn't there", status: 404, at: "/api/v1/games/2147483647"),
        .init(
            "getGame", "with a long field", status: 431, at: "/api/v1/games/71",
            fields: [("X-Long", String(repeating: "x", count: 40_000))]),
        .init("getRanking", "of no platform", status: 404, at: "/api/v1/platforms/nothing/ranking"),
        .init("getUser", "whom nobody knows", status: 404, at: "/api/v1/users/nobody-here"),
        .init("getMe", "without a token", status: 401, at: "/api/v1/me"),
        .init("getMe", "with a token of one's own", status: 401) { _ in
            ContractRequest("/api/v1/me", token: "mine")
        },
        .init("getGame", "with a token of one's own", status: 401) { _ in
            ContractRequest("/api/v1/games/71", token: "mine")
        },
        .init("signIn", "as nobody", status: 401, at: "/api/v1/sessions", json: account),
        .init("signIn", "with half a body", status: 400, at: "/api/v1/sessions", json: "{"),
        .init("signIn", "without a body", status: 415, at: "/api/v1/sessions"),
        .init("signIn", "with an array", status: 422, at: "/api/v1/sessions", json: "[]"),
        .init(
            "signUp", "without a password", status: 422, at: "/api/v1/users",
            json: #"{"username": "new"}"#),
        .init(
            "signUp", "with a name that is taken", status: 409, at: "/api/v1/users",
            json: ContractSite.credentials("rob")),
        .init(
            "signUp", "with a weak password", status: 422, at: "/api/v1/users",
            json: #"{"username": "robert", "password": "password"}"#),
        .init(
            "refresh", "without a token", status: 401, at: "/api/v1/sessions/refresh",
            json: #"{"refreshToken": ""}"#),
        .robs("signOut", "from no session", status: 409, at: "/api/v1/sessions/current"),
        .robs(
            "changePassword", "without the current one", status: 403, at: "/api/v1/me/password",
            json: #"{"newPassword": "tulip staple 42"}"#),
        .robs("deleteMe", "by another name", status: 400, at: "/api/v1/me?username=ada"),
        .robs(
            "replaceMyList", "with one game five times", status: 422, at: "/api/v1/me/list",
            json: #"{"entries": [\#(doubles)]}"#, fields: [("If-Match", "*")]),
        .robs(
            "replaceMyList", "unconditionally", status: 428, at: "/api/v1/me/list",
            json: ContractSite.list),
        .robs(
            "replaceMyList", "in another version", status: 412, at: "/api/v1/me/list",
            json: ContractSite.list, fields: [("If-Match", "\"another\"")]),
        .robs(
            "addEntry", "for a platform that the game isn't on", status: 422,
            at: "/api/v1/me/list/entries",
            json: #"{"gameId": 71, "platformId": 48}"#),
        .robs(
            "removeEntry", "that isn't there", status: 404, at: "/api/v1/me/list/entries/\(none)"),
        .robs("giveHeart", "to nothing", status: 404, at: "/api/v1/entries/\(none)/heart"),
        .init("getHearts", "of nothing", status: 404, at: "/api/v1/entries/\(none)/heart"),
        .robs("follow", "oneself", status: 409, at: "/api/v1/me/following/rob"),
        .robs("follow", "nobody", status: 404, at: "/api/v1/me/following/nobody-here"),
        .robs("getShared", "with nobody", status: 404, at: "/api/v1/users/nobody-here/shared"),
        .init(
            "getOEmbed", "of another site", status: 404, at: "/oembed?url=https://else.example/@rob"
        ),
        .init("getOEmbed", "as XML", status: 501, at: "/oembed?url=x&format=xml"),
        .init("ping", "with a broken query", status: 400, at: "/ping?%ff"),
        .init("health", "with a broken query", status: 400, at: "/health?%ff"),
        .init("v0ListGames", "without a search", status: 400, at: "/api/v0/games"),
        .init("v0GetUser", "whom nobody knows", status: 404, at: "/api/v0/users/\(none)"),
        .init("v0GetMe", "without a token", status: 401, at: "/api/v0/users/me"),
        .robs("v0AddMyGame", "without a body", status: 415, at: "/api/v0/my-fave-games"),
        .robs(
            "v0AddMyGame", "with an empty body", status: 422, at: "/api/v0/my-fave-games",
            json: "{}"),
        .robs(
            "v0RemoveMyGame", "that isn't there", status: 404, at: "/api/v0/my-fave-games/\(none)"),
        .init("v0GetGame", "by a control character", status: 400, at: "/api/v0/games/%01"),
    ]
}
