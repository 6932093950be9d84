import Endpoints
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

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("revoked"), returns: .response,
            caching: .never
        ) { call, visitor, revoked in
            try await page(
                call, visitor, notice: revoked == nil ? nil : "Revoked. It no longer works.")
        },
        forms.post(takes: .form(TokensAPI.NewToken.self), costs: .dear, handler: make),
        forms.post("/{token}/revoke", takes: .token, handler: revoke),
    ]

    @Sendable private static func make(
        _ call: Call, visitor: Visitor, new: TokensAPI.NewToken
    ) async throws -> Response {
        let made = try await call.services.accounts.makePersonalToken(
            of: visitor.bearer, name: new.name, scopes: new.scopes, days: new.days,
            password: new.password, address: call.client.networkName)
        return try await page(call, visitor, made: made.token)
    }

    @Sendable private static func revoke(
        _ call: Call, visitor: Visitor, token: UUID
    ) async throws -> Response {
        try await call.services.accounts.revokePersonalToken(token, of: visitor.user)
        return .seeOther("\(path)?revoked=yes")
    }

    /// - Parameter made: The token that was just made, which is shown this once.
    private static func page(
        _ call: Call, _ visitor: Visitor, made: PersonalToken? = nil, notice: String? = nil
    ) async throws -> Response {
        let services = call.services
        var page = PageModel(
            "Tokens for programs", description: "Let your own programs use your account.",
            path: nil, section: .settings, context: call.context)
        page.isIndexed = false
        async let tokens = services.store.personalTokens(userID: visitor.user.id)
        let hasPassword = try await services.accounts.hasPassword(visitor.user)
        let form = call.fields(
            of: path,
            showing: [
                "name": "", "scopes": TokenScope.read.rawValue,
                "expiresInDays": String(PersonalToken.defaultLifetime), "password": "",
            ])
        let content = HTML.tokens(
            FormKeys(token: call.formToken().token), made: made?.text, notice: notice,
            problem: call.problem(besides: form), tokens: try await tokens.map(TokenRow.init),
            form: form, hasPassword: hasPassword,
            lifetimes: PersonalToken.lifetimes, apiHref: "/api")
        return .privatePage(page, content)
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
