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

    private static let page = "/settings"
    static let profilePath = "/settings/profile"
    static let usernamePath = "/settings/username"
    static let passwordPath = "/settings/password"
    static let deletionPath = "/settings/delete"
    private static let visitor = VisitorInput.visitor(returningTo: page)

    static let routes = [
        change(
            at: profilePath, saved: .profile,
            .form(
                MeAPI.Changes.self, only: "displayName", "bio", "visibility", "showsRatings")),
        change(at: usernamePath, saved: .username, .form(MeAPI.Changes.self, only: "username")),
        Route(
            .post, "/settings/former-usernames/{username}", .page, takes: visitor, .username,
            on: page, answers: .response, handler: giveUpUsername),
        Route(
            .post, passwordPath, .page, takes: visitor, .form(MeAPI.PasswordChange.self),
            on: page, answers: .response, costs: .dear, handler: changePassword),
        Route(
            .post, "/settings/sessions/{session}/end", .page, takes: visitor, .session, on: page,
            answers: .response, handler: endSession),
        Route(
            .post, "/settings/sign-out-everywhere", .page, takes: visitor, on: page,
            answers: .response, handler: signOutEverywhere),
        Route(
            .post, deletionPath, .page, takes: visitor, .form(Deletion.self), on: page,
            answers: .response, costs: .dear, handler: delete),
        Route(
            .post, "/settings/disconnect/{identity}", .page, takes: visitor, .identity, on: page,
            answers: .response, handler: disconnect),
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

    /// A form that changes some members of the profile.
    private static func change(
        at path: String, saved: Saved, _ form: FormInput<MeAPI.Changes>
    ) -> Route {
        Route(
            .post, path, .page, takes: visitor, form, on: page, answers: .response
        ) { call, visitor, body in
            _ = try await call.services.accounts.change(visitor.user, body.changes)
            return .seeOther(saved.path)
        }
    }

    @Sendable private static func giveUpUsername(
        _ call: Call, visitor: Visitor, name: Username
    ) async throws -> Response {
        try await call.services.store.giveUp(
            formerUsername: name.description, of: visitor.user.id)
        return .seeOther(Saved.formerUsername.path)
    }

    /// Ends all sessions and opens a new one for this browser.
    @Sendable private static func changePassword(
        _ call: Call, visitor: Visitor, change: MeAPI.PasswordChange
    ) async throws -> Response {
        let proof = try await call.services.accounts.changePassword(
            of: visitor.bearer, from: change.current, to: change.new,
            address: call.client.networkName)
        return try await call.open(proof, returnPath: Saved.password.path)
    }

    @Sendable private static func endSession(
        _ call: Call, visitor: Visitor, session: UUID
    ) async throws -> Response {
        try await call.services.store.endSession(id: session, of: visitor.user.id)
        return .seeOther(Saved.signedOut.path)
    }

    @Sendable private static func signOutEverywhere(
        _ call: Call, visitor: Visitor
    ) async throws -> Response {
        try await call.services.store.endSessions(userID: visitor.user.id)
        return call.signedOut(to: "/sign-in")
    }

    @Sendable private static func disconnect(
        _ call: Call, visitor: Visitor, identity: UUID
    ) async throws -> Response {
        try await call.services.accounts.unlink(
            identity, from: visitor.user,
            issuers: call.services.providers.map(\.configuration.issuer),
            hasPasskeys: call.services.settings.relyingParty != nil)
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
        _ call: Call, visitor: Visitor, deletion: Deletion
    ) async throws -> Response {
        guard Username(deletion.username)?.description == visitor.user.username else {
            throw Problem.invalidMembers([
                MemberError(
                    pointer: "/username",
                    detail: "Type your username, \(visitor.user.username), to confirm.")
            ])
        }
        try await call.services.accounts.delete(
            visitor.bearer, password: deletion.confirmation.password ?? "",
            address: call.client.networkName)
        return call.signedOut(to: HomePage.Farewell.accountDeleted.path)
    }
}

extension Input where Self == PathInput<UUID> {
    fileprivate static var identity: Self {
        Self("identity", "", .text(format: "uuid", example: Example.user)) { UUID(uuidString: $0) }
    }
}
