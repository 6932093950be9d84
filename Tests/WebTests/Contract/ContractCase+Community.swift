import Foundation
import TestSupport

extension ContractCase {
    static let people: [ContractCase] = [
        .init("follow", status: 204) {
            ContractRequest("/api/v1/me/following/rob", token: try await $0.person().token)
        },
        following("unfollow", status: 204, at: "/api/v1/me/following/rob"),
        following("listFollowing", at: "/api/v1/me/following"),
        following("listFollowedEntries", at: "/api/v1/me/following/entries"),
        .init("listFollowers") { site in
            let (person, _) = try await followed(site)
            return ContractRequest("/api/v1/me/followers", token: person.token)
        },
        .init("removeFollower", status: 204) { site in
            let (person, follower) = try await followed(site)
            return ContractRequest(
                "/api/v1/me/followers/\(follower.name)", token: person.token)
        },
        .init("block", status: 204) {
            ContractRequest("/api/v1/me/blocks/rob", token: try await $0.person().token)
        },
        blocking("unblock", status: 204, at: "/api/v1/me/blocks/rob"),
        blocking("listBlocks", at: "/api/v1/me/blocks"),
        .init("getNews") { site in
            let (person, follower) = try await followed(site)
            _ = try person.put(ContractSite.list)
            return ContractRequest("/api/v1/me/news", token: follower.token)
        },
        .init("makeFollowFeed", status: 201) {
            ContractRequest("/api/v1/me/following/feed", token: try await $0.person().token)
        },
        .init("removeFollowFeed", status: 204) { site in
            let person = try await site.person()
            try person.send("POST", "/me/following/feed")
            return ContractRequest("/api/v1/me/following/feed", token: person.token)
        },
        .init("getShared") {
            ContractRequest("/api/v1/users/rob/shared", token: try await $0.listed().token)
        },
        .init("giveHeart", status: 204) {
            ContractRequest(heart(on: $0), token: try await $0.person().token)
        },
        .init("takeHeart", status: 204) { try await given($0) },
        .init("getHearts") { ContractRequest(heart(on: $0)) },
        .init("getHearts", "of someone who agrees") { try await given($0) },
    ]

    /// A request of someone who follows rob.
    private static func following(
        _ id: String, status: Int = 200, at target: String
    ) -> ContractCase {
        ContractCase(id, status: status) { site in
            let person = try await site.person()
            try person.send("PUT", "/me/following/rob")
            return ContractRequest(target, token: person.token)
        }
    }

    /// A request of someone who has blocked rob.
    private static func blocking(
        _ id: String, status: Int = 200, at target: String
    ) -> ContractCase {
        ContractCase(id, status: status) { site in
            let person = try await site.person()
            try person.send("PUT", "/me/blocks/rob")
            return ContractRequest(target, token: person.token)
        }
    }

    private static func followed(
        _ site: ContractSite
    ) async throws -> (ContractPerson, by: ContractPerson) {
        let (person, follower) = (try await site.listed(), try await site.person())
        try follower.send("PUT", "/me/following/\(person.name)")
        return (person, follower)
    }

    private static func heart(on site: ContractSite) -> String {
        "/api/v1/entries/\(site.entry)/heart"
    }

    /// A request about a heart of the person who has given it.
    private static func given(_ site: ContractSite) async throws -> ContractRequest {
        let person = try await site.person()
        try person.send("PUT", "/entries/\(site.entry)/heart")
        return ContractRequest(heart(on: site), token: person.token)
    }

    static let circles: [ContractCase] = [
        .init("makeCircle", status: 201) {
            ContractRequest(
                "/api/v1/circles", token: try await $0.person().token,
                json: #"{"name": "Club", "visibility": "public"}"#)
        },
        circle("getCircle"),
        circle("getCircle", "to its owner", isOwners: true),
        circle("getCircleRankings", at: "/rankings"),
        circle("getCircleRanking", at: "/platforms/win/ranking"),
        circle("listCommonGames", at: "/common-games", isOwners: true),
        circle("listCircleMembers", at: "/members"),
        circle("listCircleMembers", "to its owner", at: "/members", isOwners: true),
        circle("changeCircle", json: #"{"description": "Tuesdays."}"#, isOwners: true),
        circle("inviteToCircle", status: 201, at: "/invitations", json: "{}", isOwners: true),
        circle(
            "revokeCircleInvitation", status: 204, at: "/invitations/\(UUID())", isOwners: true),
        circle("deleteCircle", status: 204, isOwners: true),
        circle(
            "setCircleWebhook", at: "/webhook", json: #"{"address": "https://hooks.invalid/x"}"#,
            isOwners: true),
        circle("removeCircleWebhook", status: 204, at: "/webhook", isOwners: true),
        webhook("getCircleWebhook", at: "/webhook"),
        webhook("testCircleWebhook", status: 204, at: "/webhook/test"),
        .init("listCircleInvitations") { site in
            let owner = try await site.listed()
            let circle = try owner.circle()
            _ = try owner.invitation(to: circle)
            return ContractRequest("/api/v1\(circle)/invitations", token: owner.token)
        },
        .init("lookUpCircleInvitation") { site in
            let owner = try await site.listed()
            let circle = try owner.circle()
            return ContractRequest(
                "/api/v1/circle-invitations", json: try owner.invitation(to: circle))
        },
        .init("joinCircle") { site in
            let owner = try await site.listed()
            let circle = try owner.circle()
            return ContractRequest(
                "/api/v1/me/circles", token: try await site.person().token,
                json: try owner.invitation(to: circle))
        },
        .init("listMyCircles") { site in
            let owner = try await site.person()
            _ = try owner.circle()
            return ContractRequest("/api/v1/me/circles", token: owner.token)
        },
        .init("handOverCircle", status: 204) { site in
            let (owner, circle, _) = try await joined(site)
            return ContractRequest(
                "/api/v1\(circle)/owner", token: owner.token,
                json: #"{"member": "\#(try owner.latestMember(of: circle))"}"#)
        },
        .init("removeCircleMember", status: 204) { site in
            let (owner, circle, _) = try await joined(site)
            let member = try owner.latestMember(of: circle)
            return ContractRequest("/api/v1\(circle)/members/\(member)", token: owner.token)
        },
        .init("leaveCircle", status: 204) { site in
            let (_, circle, member) = try await joined(site)
            return ContractRequest("/api/v1/me\(circle)", token: member.token)
        },
        .init("hideCircle", status: 204) { site in
            let circle = try await site.person().circle()
            return ContractRequest(
                "/api/v1/moderation\(circle)/hide", token: try await site.admin().token,
                json: #"{"reason": "Advertising."}"#)
        },
    ]

    /// A request about a public circle of someone with a list.
    private static func circle(
        _ id: String, _ note: String = "", status: Int = 200, at path: String = "",
        json: String? = nil, isOwners: Bool = false
    ) -> ContractCase {
        ContractCase(id, note, status: status) { site in
            let owner = try await site.listed()
            return ContractRequest(
                "/api/v1\(try owner.circle())\(path)", token: isOwners ? owner.token : nil,
                json: json)
        }
    }

    /// A request about the webhook of a circle.
    private static func webhook(
        _ id: String, status: Int = 200, at path: String
    ) -> ContractCase {
        ContractCase(id, status: status) { site in
            let owner = try await site.person()
            let circle = try owner.circle()
            try owner.send("PUT", "\(circle)/webhook", #"{"address": "https://hooks.invalid/x"}"#)
            return ContractRequest("/api/v1\(circle)\(path)", token: owner.token)
        }
    }

    /// A circle that someone else has joined.
    private static func joined(
        _ site: ContractSite
    ) async throws -> (owner: ContractPerson, circle: String, member: ContractPerson) {
        let (owner, member) = (try await site.person(), try await site.person())
        let circle = try owner.circle()
        try member.send("POST", "/me/circles", owner.invitation(to: circle))
        return (owner, circle, member)
    }

    static let moderation: [ContractCase] = [
        .init("report", status: 204) {
            let name = try await $0.listed().name
            return ContractRequest(
                "/api/v1/reports",
                json: #"{"kind": "list", "username": "\#(name)", "reason": "spam"}"#)
        },
        .init("report", "of a circle", status: 204) { site in
            let circle = try await site.listed().circle()
            return ContractRequest(
                "/api/v1/reports",
                json: """
                    {"kind": "circle", "circle": "\(circle.dropFirst("/circles/".count))",
                     "reason": "spam"}
                    """)
        },
        .init("listCases") { site in
            _ = try await site.openCase(about: site.listed())
            return ContractRequest(
                "/api/v1/moderation/cases", token: try await site.admin().token)
        },
        .init("decideCase", status: 204) { site in
            let number = try await site.openCase(about: site.listed())
            return ContractRequest(
                "/api/v1/moderation/cases/\(number)/decision",
                token: try await site.admin().token,
                json: #"{"decision": "hide_list", "reason": "Advertising."}"#)
        },
        .init("listModerationActions") { site in
            let admin = try await site.admin()
            _ = try await site.hidden(by: admin)
            return ContractRequest("/api/v1/moderation/actions", token: admin.token)
        },
        .init("listNotices", "of a list that is hidden") { site in
            let person = try await site.hidden(by: site.admin()).person
            return ContractRequest("/api/v1/me/notices", token: person.token)
        },
        .init("undoModerationAction", status: 204) { site in
            let admin = try await site.admin()
            let action = try await site.hidden(by: admin).action
            return ContractRequest("/api/v1/moderation/actions/\(action)/undo", token: admin.token)
        },
        .init("listNewLists") { site in
            _ = try await newcomer(site)
            return ContractRequest(
                "/api/v1/moderation/new-lists", token: try await site.admin().token)
        },
        .init("approveNewList", status: 204) { site in
            let name = try await newcomer(site).name
            return ContractRequest(
                "/api/v1/moderation/new-lists/\(name)", token: try await site.admin().token)
        },
    ]

    /// Someone whose list isn't shown publicly yet.
    private static func newcomer(_ site: ContractSite) async throws -> ContractPerson {
        let person = try await site.listed()
        try site.server.execute(
            """
            UPDATE users SET new_until = now() + interval '1 day'
            WHERE username = '\(person.name)'
            """)
        return person
    }

    static let accounts: [ContractCase] = [
        .init("signUp", status: 201) { _ in
            ContractRequest(
                "/api/v1/users", json: ContractSite.credentials(ContractSite.newName()))
        },
        .init("signIn", status: 201) {
            ContractRequest(
                "/api/v1/sessions",
                json: ContractSite.credentials(try $0.account().person.name))
        },
        .init("refresh") {
            ContractRequest(
                "/api/v1/sessions/refresh",
                json: #"{"refreshToken": "\#(try $0.account().refreshToken)"}"#)
        },
        .init("signOut", status: 204) {
            ContractRequest("/api/v1/sessions/current", token: try $0.account().person.token)
        },
        .init("endSessions", status: 204) {
            ContractRequest("/api/v1/me/sessions", token: try $0.account().person.token)
        },
        .init("changePassword", status: 204) {
            ContractRequest(
                "/api/v1/me/password", token: try $0.account().person.token,
                json: """
                    {"currentPassword": "\(ContractSite.password)",
                     "newPassword": "carpet lemon 17"}
                    """)
        },
        .init("recover", status: 204) { site in
            let name = try site.account().person.name
            try site.server.execute(
                """
                INSERT INTO recovery_codes (user_id, hash)
                SELECT id, sha256(convert_to('recovery' || chr(10) || upper(id::text) || chr(10)
                                             || '0000-0000-0000-0000', 'UTF8'))
                FROM users WHERE username = '\(name)'
                """)
            return ContractRequest(
                "/api/v1/recovery",
                json: """
                    {"username": "\(name)", "code": "0000-0000-0000-0000",
                     "newPassword": "carpet lemon 17"}
                    """)
        },
        .init("sendReset", status: 204, isElsewhere: true) { _ in
            ContractRequest("/api/v1/password-resets", json: #"{"account": "rob"}"#)
        },
        .init("setMailAddress", status: 204, isElsewhere: true) { site in
            let person = try site.account().person
            return ContractRequest(
                "/api/v1/me/mail-address", token: person.token,
                json: """
                    {"address": "\(person.name)@mail.example",
                     "password": "\(ContractSite.password)"}
                    """)
        },
        .init("removeMailAddress", status: 204) {
            ContractRequest(
                "/api/v1/me/mail-address", token: try $0.account().person.token,
                json: #"{"password": "\#(ContractSite.password)"}"#)
        },
        .init("invite", status: 201, isElsewhere: true) {
            ContractRequest(
                "/api/v1/me/invitations", token: try await $0.person().token, json: "{}")
        },
    ]
}
