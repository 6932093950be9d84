import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Identity
import JSON
import Languages
import Storage
import Views

/// The personal tokens that users make for their own programs.
enum TokensAPI {
    static let routes = [
        Route(
            .get, "/api/v1/me/tokens",
            .api(
                "listTokens", .me, "List the user's personal tokens",
                "The latest first. Those that have expired stay for a month."),
            takes: .user(.account),
            returns: .array(
                "tokens", of: V1.personalToken, "The tokens.", atMost: PersonalToken.limit,
                "The tokens, without their secrets.")
        ) { context, user in try await context.services.store.personalTokens(userID: user.id) },

        Route(
            .post, "/api/v1/me/tokens",
            .api(
                "makeToken", .me, "Make a personal token",
                "For a program of one's own: it is sent like an access token, in the Authorization "
                    + "field. The response shows it once. Needs the access token of a session and the "
                    + "password. An account without a password needs a sign-in within the last ten "
                    + "minutes."),
            takes: .bearer(.session), .json(NewToken.self),
            returns: .created(V1.newPersonalToken, "The token, which isn't shown again.") {
                $0.record.id.text
            },
            fails: [.conflict] + ProblemKind.ofConfirming, costs: .dear
        ) { context, bearer, new in
            let made = try await context.services.accounts.makePersonalToken(
                of: bearer, name: new.name, scopes: new.scopes, days: new.days,
                password: new.password, address: context.client.networkName)
            return V1.NewPersonalToken(record: made.record, token: made.token)
        },

        Route(
            .delete, "/api/v1/me/tokens/{id}",
            .api(
                "revokeToken", .me, "Revoke a personal token",
                "At once. Succeeds for a token that the user doesn't have, too."),
            takes: .user(.account), .token, returns: .noContent
        ) { context, user, token in
            try await context.services.accounts.revokePersonalToken(token, of: user)
        },
    ]

    struct NewToken: RequestBody {
        let name: TokenName
        let scopes: Set<TokenScope>
        let days: Int?
        let password: String

        init?(from reader: inout JSONObjectReader) {
            let name = reader.required("name", .tokenName, "What the token is for.")
            let scopes = reader.required("scopes", .scopes, V1.scopesText)
            let days = reader.nullable(
                "expiresInDays", .lifetime,
                "30, 90 or 365; null for a token that is valid until it is revoked. 90 if omitted.")
            password =
                reader.optional(
                    "password", .text(.password), "Required if the account has a password.") ?? ""
            guard let name, let scopes else { return nil }
            self.name = name
            self.scopes = scopes
            self.days = days ?? PersonalToken.defaultLifetime
        }
    }
}

extension BodyMember where Value == TokenName {
    static var tokenName: Self {
        .parsed(V1.tokenName, .mustHave(1, to: TokenName.limit)) { TokenName($0) }
    }
}

extension BodyMember where Value == Set<TokenScope> {
    fileprivate static var scopes: Self {
        .checked(
            .texts(
                V1.ScopesRepresentation.list(of: .values(TokenScope.allCases.map(\.rawValue))),
                atMost: TokenScope.allCases.count)
        ) { names throws(MemberFault) in
            var scopes: Set<TokenScope> = []
            for (index, name) in names.enumerated() {
                guard let scope = TokenScope(rawValue: name) else {
                    throw MemberFault(
                        .unknownValue, at: index,
                        detail: .english(
                            "This must be one of "
                                + TokenScope.allCases.map(\.rawValue).joined(separator: ", ") + ".")
                    )
                }
                scopes.insert(scope)
            }
            guard !scopes.isEmpty else {
                throw MemberFault(
                    .tooFew,
                    detail: .english("This must name at least one scope.").orElsewhere(.chooseScope)
                )
            }
            return scopes
        }
    }
}

extension BodyMember where Value == Int {
    fileprivate static var lifetime: Self {
        let lifetimes = PersonalToken.lifetimes
        var schema = Schema.integer(1...365, example: PersonalToken.defaultLifetime)
        schema.keywords = ["type": "integer", "enum": .array(lifetimes.map { .int($0) })]
        return .checked(.integer(schema, in: 1...365)) { days throws(MemberFault) in
            guard lifetimes.contains(days) else {
                throw MemberFault(
                    .unknownValue,
                    detail: .english(
                        "This must be one of "
                            + lifetimes.map { String($0) }.joined(separator: ", ") + "."))
            }
            return days
        }
    }
}

extension Input where Value == UUID {
    static var token: Self {
        .id("id", noun: "token", "The token's id.", example: Example.user)
    }
}
