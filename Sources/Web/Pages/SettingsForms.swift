import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The actions of the forms on the settings page. Each accepts a form of the visitor's own session,
/// and shows the page again if something is wrong.
enum SettingsForms {
    private typealias Saved = SettingsPage.Saved

    static let routes = [
        form("profile", handler: profile),
        form("username", handler: username),
        Route(
            .post, "/settings/former-usernames/{username}", .page,
            takes: .visitor(returningTo: "/settings"), .username, answers: .response,
            handler: giveUpUsername),
        form("password", costs: .dear, handler: password),
        Route(
            .post, "/settings/sessions/{session}/end", .page,
            takes: .visitor(returningTo: "/settings"), .session, answers: .response,
            handler: endSession),
        form("sign-out-everywhere", handler: signOutEverywhere),
        form("delete", costs: .dear, handler: delete),
        Route(
            .post, "/settings/disconnect/{identity}", .page,
            takes: .visitor(returningTo: "/settings"), .identity, answers: .response,
            handler: disconnect),
        Route(
            .get, "/settings/export", .page, takes: .visitor, answers: .response,
            caching: .never, costs: .export
        ) { call, visitor in try await call.export(of: visitor.user) },
        Route(
            .get, "/settings/list.csv", .page, takes: .visitor, answers: .response,
            caching: .never
        ) { call, visitor in
            ListFile.response(try await call.list(of: visitor, returnPath: "/settings"))
        },
    ]

    private static func form(
        _ name: String, costs cost: Cost = .plain,
        handler: @escaping @Sendable (Call, Visitor) async throws -> Response
    ) -> Route {
        Route(
            .post, "/settings/\(name)", .page, takes: .visitor(returningTo: "/settings"),
            answers: .response, costs: cost, handler: handler)
    }

    @Sendable private static func profile(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        let form = try call.form()
        var rejected = SettingsPage.Rejected()
        rejected.displayName = FormField(form["displayName"])
        rejected.bio = FormField(form["bio"])
        rejected.visibility = form["visibility"].flatMap(Visibility.init)
        // A form from before there was the choice says nothing about it.
        let showsRatings = form["asksForRatings"].map { _ in form["showsRatings"] == "yes" }
        rejected.showsRatings = showsRatings
        let displayName = DisplayName(form["displayName"] ?? "")
        let bio = Bio(form["bio"] ?? "")
        if displayName == nil { rejected.displayName?.error = DisplayName.rule }
        if bio == nil { rejected.bio?.error = Bio.rule }
        if rejected.visibility == nil { rejected.visibilityError = "Choose who can see your list." }
        guard let displayName, let bio, let visibility = rejected.visibility else {
            return try await SettingsPage.page(call, visitor, rejected)
        }
        let changes = ProfileChanges(
            displayName: displayName, bio: bio, visibility: visibility,
            showsRatings: showsRatings)
        do {
            _ = try await call.services.accounts.change(visitor.user, changes)
        } catch let error as AccountError {
            switch error {
            case .blockedText(let found) where BlockList([found]).first(in: bio.text) != nil:
                rejected.bio?.error = error.description
            case .blockedText: rejected.displayName?.error = error.description
            default: rejected.problem = Problem(error)
            }
            return try await SettingsPage.page(call, visitor, rejected)
        }
        return .seeOther(Saved.profile.path)
    }

    @Sendable private static func username(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        let form = try call.form()
        let typed = form["username"] ?? ""
        var rejected = SettingsPage.Rejected()
        guard let name = Username(typed) else {
            rejected.username = FormField(typed, error: Username.rule)
            return try await SettingsPage.page(call, visitor, rejected)
        }
        do {
            _ = try await call.services.accounts.change(
                visitor.user, ProfileChanges(username: name))
        } catch let error as AccountError {
            rejected.username = FormField(typed, error: error.description)
            return try await SettingsPage.page(call, visitor, rejected)
        }
        return .seeOther(Saved.username.path)
    }

    @Sendable private static func giveUpUsername(
        _ call: Call, visitor: Visitor, name: Username
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.giveUp(
            formerUsername: name.description, of: visitor.user.id)
        return .seeOther(Saved.formerUsername.path)
    }

    /// Ends all sessions and opens a new one for this browser.
    @Sendable private static func password(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        let form = try call.form()
        var rejected = SettingsPage.Rejected()
        do {
            let proof = try await call.services.accounts.changePassword(
                of: visitor.bearer, from: form["current"] ?? "", to: form["new"] ?? "",
                address: call.client.networkName)
            return try await call.open(proof, returnPath: Saved.password.path)
        } catch let error as NewPassword.Weakness {
            rejected.password.new = error.description
        } catch AccountError.wrongPassword {
            rejected.password.current = AccountError.wrongPassword.description
        } catch let error as AccountError {
            rejected.problem = Problem(error)
        }
        return try await SettingsPage.page(call, visitor, rejected)
    }

    @Sendable private static func endSession(
        _ call: Call, visitor: Visitor, session: UUID
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.endSession(id: session, of: visitor.user.id)
        return .seeOther(Saved.signedOut.path)
    }

    @Sendable private static func signOutEverywhere(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.endSessions(userID: visitor.user.id)
        return call.signedOut(to: "/sign-in")
    }

    @Sendable private static func disconnect(
        _ call: Call, visitor: Visitor, identity: UUID
    ) async throws -> Response {
        _ = try call.form()
        do {
            try await call.services.accounts.unlink(
                identity, from: visitor.user,
                issuers: call.services.providers.map(\.configuration.issuer),
                hasPasskeys: call.services.settings.relyingParty != nil)
        } catch let error as AccountError {
            return try await SettingsPage.page(call, visitor, .init(Problem(error)))
        }
        return .seeOther(Saved.disconnected.path)
    }

    @Sendable private static func delete(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        let form = try call.form()
        var rejected = SettingsPage.Rejected()
        rejected.deletion.isOpen = true
        guard Username(form["username"] ?? "")?.description == visitor.user.username else {
            rejected.deletion.usernameError =
                "Type your username, \(visitor.user.username), to confirm."
            return try await SettingsPage.page(call, visitor, rejected)
        }
        do {
            try await call.services.accounts.delete(
                visitor.bearer, password: form["password"] ?? "",
                address: call.client.networkName)
        } catch AccountError.wrongPassword {
            rejected.deletion.passwordError = AccountError.wrongPassword.description
            return try await SettingsPage.page(call, visitor, rejected)
        } catch let error as AccountError {
            rejected.problem = Problem(error)
            return try await SettingsPage.page(call, visitor, rejected)
        }
        return call.signedOut(to: HomePage.Farewell.accountDeleted.path)
    }
}

extension Input where Self == PathInput<UUID> {
    fileprivate static var identity: Self {
        Self("identity", "", .text(format: "uuid", example: Example.user)) { UUID(uuidString: $0) }
    }
}
