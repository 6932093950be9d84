import Actions
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Views

/// The actions of the forms on the settings page. Each accepts a form of the visitor's own session,
/// and shows the page again if something is wrong.
enum SettingsForms {
    private typealias Saved = SettingsPage.Saved

    private static let page = "/settings"
    static let profilePath = "/settings/profile"
    static let usernamePath = "/settings/username"
    static let passwordPath = "/settings/password"
    static let deletionPath = "/settings/delete"

    private static let forms = RouteGroup<Visitor>(
        for: .visitor(returningTo: page), on: page)

    static let routes = [
        change(
            at: profilePath, saved: .profile,
            .form(
                MeAPI.Changes.self, only: "displayName", "bio", "visibility", "showsRatings",
                "language")),
        change(at: usernamePath, saved: .username, .form(MeAPI.Changes.self, only: "username")),
        forms.post(
            "/settings/former-usernames/{username}", takes: .username, handler: giveUpUsername),
        forms.post(
            passwordPath, takes: .form(MeAPI.PasswordChange.self), costs: .dear,
            handler: changePassword),
        forms.post("/settings/sessions/{session}/end", takes: .session, handler: endSession),
        forms.post("/settings/sign-out-everywhere", handler: signOutEverywhere),
        forms.post(deletionPath, takes: .form(Deletion.self), costs: .dear, handler: delete),
        forms.post("/settings/disconnect/{identity}", takes: .identity, handler: disconnect),
        Route(
            .get, "/settings/export", .page, takes: .visitor, returns: .response,
            caching: .never, costs: .export
        ) { context, visitor in try await context.export(of: visitor.user) },
        Route(
            .get, "/settings/list.csv", .page, takes: .visitor, returns: .response,
            caching: .never
        ) { context, visitor in
            ListFile.response(
                try await context.list(of: visitor, returnPath: "/settings"),
                of: context.services.settings.site)
        },
    ]

    /// A form that changes some members of the profile.
    private static func change(
        at path: String, saved: Saved, _ form: Input<Services, MeAPI.Changes>
    ) -> Route {
        forms.post(path, takes: form) { context, visitor, body in
            let changes = try body.changes(
                of: visitor.user, context.services.settings.languages)
            _ = try await context.profiles.change(visitor.user, changes)
            return .seeOther(saved.path)
        }
    }

    @Sendable private static func giveUpUsername(
        _ context: RequestContext, visitor: Visitor, name: Username
    ) async throws -> Response {
        try await context.profiles.giveUp(name, by: visitor.user)
        return .seeOther(Saved.formerUsername.path)
    }

    /// Ends all sessions and opens a new one for this browser.
    @Sendable private static func changePassword(
        _ context: RequestContext, visitor: Visitor, change: MeAPI.PasswordChange
    ) async throws -> Response {
        let proof = try await context.services.accounts.changePassword(
            of: visitor.bearer, from: change.current, to: change.new,
            address: context.client.networkName)
        return try await context.open(proof, returnPath: Saved.password.path)
    }

    @Sendable private static func endSession(
        _ context: RequestContext, visitor: Visitor, session: UUID
    ) async throws -> Response {
        try await context.services.accounts.endSession(session, of: visitor.user)
        return .seeOther(Saved.signedOut.path)
    }

    @Sendable private static func signOutEverywhere(
        _ context: RequestContext, visitor: Visitor
    ) async throws -> Response {
        try await context.services.accounts.endSessions(of: visitor.user)
        return context.signedOut(to: "/sign-in")
    }

    @Sendable private static func disconnect(
        _ context: RequestContext, visitor: Visitor, identity: UUID
    ) async throws -> Response {
        try await context.services.accounts.unlink(
            identity, from: visitor.user,
            issuers: context.services.providers.map(\.configuration.issuer),
            hasPasskeys: context.services.settings.relyingParty != nil)
        return .seeOther(Saved.disconnected.path)
    }

    private struct Deletion: RequestBody {
        let username: String
        let confirmation: MeAPI.Deletion

        init?(from reader: inout JSONObjectReader) {
            let username = reader.required("username", .text(.newUsername))
            let confirmation = MeAPI.Deletion(from: &reader)
            guard let username, let confirmation else { return nil }
            self.username = username
            self.confirmation = confirmation
        }
    }

    @Sendable private static func delete(
        _ context: RequestContext, visitor: Visitor, deletion: Deletion
    ) async throws -> Response {
        guard Username(deletion.username)?.description == visitor.user.username else {
            throw Problem.invalidMembers([
                MemberError(
                    pointer: "/username", .refused,
                    detail: .confirmUsername(visitor.user.username.description))
            ])
        }
        try await context.services.accounts.delete(
            visitor.bearer, password: deletion.confirmation.password ?? "",
            address: context.client.networkName)
        return context.signedOut(to: HomePage.Farewell.accountDeleted.path)
    }
}

extension Input where Value == UUID {
    fileprivate static var identity: Self {
        .id("identity", "", example: Example.user)
    }
}
