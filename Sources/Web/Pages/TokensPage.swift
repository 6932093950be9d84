import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page on which users make and revoke tokens for their own programs.
enum TokensPage {
    static let path = "/settings/tokens"

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("revoked"), answers: .response,
            caching: .never
        ) { call, visitor, revoked in
            try await page(
                call, visitor, notice: revoked == nil ? nil : "Revoked. It no longer works.")
        },
        Route(
            .post, path, .page, takes: .visitor(returningTo: path), answers: .response,
            costs: .dear, handler: make),
        Route(
            .post, "\(path)/{token}/revoke", .page, takes: .visitor(returningTo: path), .token,
            answers: .response, handler: revoke),
    ]

    @Sendable private static func make(_ call: Call, visitor: Visitor) async throws -> Response {
        let form = try call.form()
        var typed = TokenForm(hasPassword: true)
        typed.name.value = form["name"] ?? ""
        let scopes = Set(form.values("scope").compactMap(TokenScope.init))
        typed.scopes = scopes
        typed.days = form["days"] ?? ""
        let days = Int(typed.days)
        let name = TokenName(typed.name.value)
        if name == nil {
            typed.name.error = "Give it a name of at most \(TokenName.limit) characters."
        }
        if scopes.isEmpty { typed.scopesError = "Choose what the token may do." }
        let isLifetime =
            typed.days == "never" || days.map(PersonalToken.lifetimes.contains) == true
        if !isLifetime { typed.daysError = "Choose when it expires." }
        guard let name, !scopes.isEmpty, isLifetime else {
            return try await page(call, visitor, form: typed)
        }
        do {
            let made = try await call.services.accounts.makePersonalToken(
                of: visitor.bearer, name: name, scopes: scopes, days: days,
                password: form["password"] ?? "", address: call.client.networkName)
            return try await page(call, visitor, made: made.token)
        } catch AccountError.wrongPassword {
            typed.passwordError = AccountError.wrongPassword.description
            return try await page(call, visitor, form: typed)
        } catch let error as AccountError {
            return try await page(call, visitor, form: typed, problem: Problem(error))
        }
    }

    @Sendable private static func revoke(
        _ call: Call, visitor: Visitor, token: UUID
    ) async throws -> Response {
        _ = try call.form()
        try await call.services.store.revokePersonalToken(id: token, of: visitor.user.id)
        return .seeOther("\(path)?revoked=yes")
    }

    /// - Parameter made: The token that was just made, which is shown this once.
    private static func page(
        _ call: Call, _ visitor: Visitor, made: PersonalToken? = nil, notice: String? = nil,
        form: TokenForm? = nil, problem: Problem? = nil
    ) async throws -> Response {
        let services = call.services
        var page = PageModel(
            "Tokens for programs", description: "Let your own programs use your account.",
            path: nil, section: .settings, context: call.context)
        page.isIndexed = false
        async let tokens = services.store.personalTokens(userID: visitor.user.id)
        var form = form ?? TokenForm(hasPassword: true)
        form.hasPassword = try await services.accounts.hasPassword(visitor.user)
        let (key, _) = call.formToken()
        let content = HTML.tokens(
            FormKeys(token: key), made: made?.text, notice: notice, problem: problem?.detail,
            tokens: try await tokens.map(TokenRow.init), form: form,
            lifetimes: PersonalToken.lifetimes, apiHref: "/api")
        return .privatePage(
            page, content,
            problem: problem ?? form.anyError.map { Problem(.unprocessableContent, $0) })
    }
}

extension TokenRow {
    fileprivate init(_ token: PersonalTokenRecord) {
        self.init(
            name: token.name,
            scopes: TokenScope.allCases.filter(token.scopes.contains).map(\.rawValue),
            madeAt: token.createdAt, expiresAt: token.expiresAt, usedAt: token.usedAt,
            isExpired: token.isExpired,
            action: "\(TokensPage.path)/\(token.id.uuidString.lowercased())/revoke")
    }
}
