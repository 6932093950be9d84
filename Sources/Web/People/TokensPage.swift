import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The page where users create and revoke tokens for their own programs.
enum TokensPage {
    static let path = "/settings/tokens"

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("revoked"), returns: .response,
            caching: .never
        ) { context, visitor, revoked in
            try await page(
                context, visitor, notice: revoked == nil ? nil : .tokenRevoked)
        },
        forms.post(takes: .form(TokensAPI.NewToken.self), costs: .dear, handler: make),
        forms.post("/{id}/revoke", takes: .token, handler: revoke),
    ]

    @Sendable private static func make(
        _ context: RequestContext, visitor: Visitor, new: TokensAPI.NewToken
    ) async throws -> Response {
        let made = try await context.services.accounts.makePersonalToken(
            of: visitor.bearer, name: new.name, scopes: new.scopes, days: new.days,
            password: new.password, address: context.client.networkName)
        return try await page(context, visitor, made: made.token)
    }

    @Sendable private static func revoke(
        _ context: RequestContext, visitor: Visitor, token: UUID
    ) async throws -> Response {
        try await context.services.accounts.revokePersonalToken(token, of: visitor.user)
        return .seeOther("\(path)?revoked=yes")
    }

    /// - Parameter made: The token that was just made, which is shown this once.
    private static func page(
        _ context: RequestContext, _ visitor: Visitor, made: PersonalToken? = nil,
        notice: Words? = nil
    ) async throws -> Response {
        let services = context.services
        var page = PageModel(
            .apiTokens, description: .aboutTokens,
            path: nil, section: .settings, context: context.pageContext)
        page.isIndexed = false
        async let tokens = services.store.personalTokens(userID: visitor.user.id)
        let hasPassword = try await services.accounts.hasPassword(visitor.user)
        let form = context.fields(
            of: path,
            showing: [
                "name": "", "scopes": TokenScope.read.rawValue,
                "expiresInDays": String(PersonalToken.defaultLifetime), "password": "",
            ])
        let content = View.tokens(
            FormKeys(token: context.formToken().token), made: made?.text, notice: notice,
            problem: context.problem(besides: form), tokens: try await tokens.map(TokenRow.init),
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
            action: "\(TokensPage.path)/\(token.id.text)/revoke")
    }
}
