import Foundation
import TestSupport

extension ContractCase {
    static let successes =
        reads + lists + snapshots + formerFrontEnd + oneself + imports + people + circles
        + moderation + accounts

    private static let key = ("Idempotency-Key", "0123456789abcdef")

    private static let reads: [ContractCase] = [
        .init("listPlatforms", at: "/api/v1/platforms"),
        .init("getPlatform", at: "/api/v1/platforms/win"),
        .init("getRanking", at: "/api/v1/platforms/win/ranking"),
        .init("listInclusions", at: "/api/v1/platforms/6/games/71/entries"),
        .init("listGames", at: "/api/v1/games?search=portal&platform=6"),
        .init("getGame", at: "/api/v1/games/71"),
        .init("listStandings", at: "/api/v1/games/71/standings"),
        .init("listRelatedGames", at: "/api/v1/games/71/related"),
        .init("listRecentLists", at: "/api/v1/lists"),
        .init("getListCards", at: "/api/v1/users/rob/list/cards"),
        .init("getRankingCards", at: "/api/v1/platforms/win/ranking/cards"),
        .init("listEntries", at: "/api/v1/entries?limit=1"),
        .init("searchUsers", at: "/api/v1/users?search=rob"),
        .init("getUser", at: "/api/v1/users/rob"),
        .init("getList", at: "/api/v1/users/rob/list"),
        .init("listSimilar", at: "/api/v1/users/rob/similar"),
        .init("getService", at: "/api/v1"),
        .init("getEntry") {
            ContractRequest(
                try $0.rob.entry().replacing("/me/list/entries/", with: "/entries/"))
        },
        .init("getDocument", at: "/api/v1/openapi.json"),
        .init("ping", at: "/ping"),
        .init("health", at: "/health"),
        .init("getKeys", at: "/.well-known/jwks.json"),
        .init("getOEmbed", at: "/oembed?url=https://fave.example/@rob"),
    ]

    private static let lists: [ContractCase] = [
        .robs("getMyList", at: "/api/v1/me/list"),
        .robs("getMyListFile", at: "/api/v1/me/list.csv"),
        .init("replaceMyList") {
            ContractRequest(
                "/api/v1/me/list", token: try await $0.person().token, json: ContractSite.list,
                fields: [("If-Match", "*")])
        },
        .init("addEntry", status: 201) { try await addition($0.listed()) },
        .init("addEntry", "sent again", status: 201) { site in
            let person = try await site.listed()
            let request = addition(person)
            try person.send("POST", "/me/list/entries", request.body, fields: request.fields)
            return request
        },
        .init("getMyEntry") { ContractRequest(try $0.rob.entry(), token: $0.rob.token) },
        .init("changeEntry") { site in
            let person = try await site.listed()
            return ContractRequest(
                try person.entry(), token: person.token, json: #"{"rating": null, "position": 2}"#)
        },
        .init("removeEntry", status: 204) { site in
            let person = try await site.listed()
            return ContractRequest(try person.entry(), token: person.token)
        },
    ]

    private static func addition(_ person: ContractPerson) -> ContractRequest {
        ContractRequest(
            "/api/v1/me/list/entries", token: person.token,
            json: #"{"gameId": 117, "platformId": 48, "position": 1}"#, fields: [key])
    }

    private static let snapshots: [ContractCase] = [
        .init("takeSnapshot", status: 201) { try await taking($0.listed()) },
        .init("takeSnapshot", "sent again", status: 201) { site in
            let person = try await site.listed()
            let request = taking(person)
            try person.send("POST", "/me/snapshots", request.body, fields: request.fields)
            return request
        },
        .init("listSnapshots", at: "/api/v1/users/rob/snapshots"),
        .init("getSnapshot") { ContractRequest("/api/v1/users/rob/snapshots/\($0.snapshotSlug)") },
        .robs("listMySnapshots", at: "/api/v1/me/snapshots"),
        .init("getMySnapshot") {
            ContractRequest("/api/v1/me/snapshots/\($0.snapshotSlug)", token: $0.rob.token)
        },
        .init("deleteSnapshot", status: 204) { site in
            let person = try await site.listed()
            return ContractRequest(
                "/api/v1/me/snapshots/\(try person.snapshot())", token: person.token)
        },
    ]

    private static func taking(_ person: ContractPerson) -> ContractRequest {
        ContractRequest(
            "/api/v1/me/snapshots", token: person.token, json: #"{"title": "My five then"}"#,
            fields: [key])
    }

    private static let formerFrontEnd: [ContractCase] = [
        .init("v0Ping", at: "/api/v0/ping"),
        .init("v0ListGames", at: "/api/v0/games?search=portal"),
        .init("v0GetGame", at: "/api/v0/games/71"),
        .init("v0ListPlatforms", at: "/api/v0/platforms?searchTerm=playstation"),
        .init("v0ListPlatformGames", at: "/api/v0/platform-fave-games/win"),
        .init("v0SearchUsers", at: "/api/v0/users?search=rob"),
        .robs("v0GetMe", at: "/api/v0/users/me"),
        .robs("v0ListMyGames", at: "/api/v0/my-fave-games"),
        .init("v0GetUser") { ContractRequest("/api/v0/users/\($0.digest)") },
        .init("v0ListGamesOf") { ContractRequest("/api/v0/my-fave-games/\($0.digest)") },
        .init("v0AddMyGame", status: 201) {
            ContractRequest(
                "/api/v0/my-fave-games", token: try await $0.person().token,
                json: #"{"gameId": "117", "platformId": 48}"#)
        },
        .init("v0ChangeMyGame") { site in
            let person = try await site.person()
            return ContractRequest(
                try person.formerEntry(), token: person.token, json: #"{"reasons": "Trico."}"#)
        },
        .init("v0RemoveMyGame") { site in
            let person = try await site.person()
            return ContractRequest(try person.formerEntry(), token: person.token)
        },
    ]

    private static let oneself: [ContractCase] = [
        .robs("getMe", at: "/api/v1/me"),
        .init("changeMe") {
            ContractRequest(
                "/api/v1/me", token: try await $0.person().token, json: #"{"bio": "I play."}"#)
        },
        .init("deleteMe", status: 204) { site in
            let person = try await site.listed()
            return ContractRequest("/api/v1/me?username=\(person.name)", token: person.token)
        },
        .init("exportMe", "with imports and snapshots") { site in
            let person = try await site.listed()
            _ = try person.snapshot()
            try await person.imported()
            return ContractRequest("/api/v1/me/export", token: person.token)
        },
        .init("exportMe", "with a password and a session") {
            ContractRequest("/api/v1/me/export", token: try $0.account().person.token)
        },
        .robs("listSessions", at: "/api/v1/me/sessions"),
        .robs("endSession", status: 204, at: "/api/v1/me/sessions/\(UUID())"),
        .robs("listFormerUsernames", at: "/api/v1/me/former-usernames"),
        .robs("giveUpUsername", status: 204, at: "/api/v1/me/former-usernames/robert"),
        .init("makeToken", status: 201) {
            ContractRequest("/api/v1/me/tokens", token: try await $0.person().token, json: token)
        },
        .init("listTokens") { site in
            let person = try await site.person()
            try person.send("POST", "/me/tokens", token)
            return ContractRequest("/api/v1/me/tokens", token: person.token)
        },
        .robs("revokeToken", status: 204, at: "/api/v1/me/tokens/\(UUID())"),
        .robs("getMailAddress", at: "/api/v1/me/mail-address"),
        .robs("listNotices", "of which there are none", at: "/api/v1/me/notices"),
        .robs("listInvitations", at: "/api/v1/me/invitations"),
        .robs("revokeInvitation", status: 204, at: "/api/v1/me/invitations/\(UUID())"),
    ]

    private static let token = #"{"name": "Sheet", "scopes": ["read"]}"#

    private static let imports: [ContractCase] = [
        .init("importGames", status: 202) {
            var request = ContractRequest(
                "/api/v1/me/import", token: try await $0.person().token,
                json: ContractPerson.games)
            request.type = "text/csv"
            return request
        },
        imported("getImport", at: "/api/v1/me/import"),
        imported("listImportRows", at: "/api/v1/me/import/rows"),
        imported(
            "listImportRows", "that are left out",
            at: "/api/v1/me/import/rows?leftOut=true"),
        imported("deleteImport", status: 204, at: "/api/v1/me/import"),
    ]

    /// A request of someone who has imported games.
    private static func imported(
        _ id: String, _ note: String = "", status: Int = 200, at target: String
    ) -> ContractCase {
        ContractCase(id, note, status: status) { site in
            let person = try await site.person()
            try await person.imported()
            return ContractRequest(target, token: person.token)
        }
    }
}
