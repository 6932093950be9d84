import Endpoints
import FaveGames
import Foundation
import Identity
import JSON

extension V1 {
    static let visibility = EnumerationRepresentation<Visibility>(visibilityText)

    static let visibilityText = """
        Who can see the user's list. public: everyone. unlisted: anyone with the link; it is \
        counted in rankings, but not shown publicly under the user's name. private: only the user; \
        it isn't counted in rankings.
        """

    /// A user in short.
    struct Person: NamedUser, Sendable {
        let userID: UUID
        let username: String
        let displayName: String

        init(_ user: some NamedUser) {
            userID = user.userID
            username = user.username
            displayName = user.displayName
        }
    }

    static let person = ObjectRepresentation<Person>(
        "Person", "A user in short.", idMember() + nameMembers())

    static func idMember<Value: NamedUser>() -> [ObjectRepresentation<Value>.Member] {
        [
            .init("id", .uuid(example: Example.user), "The user's id. It never changes.") {
                $0.userID
            }
        ]
    }

    static func nameMembers<Value: NamedUser>() -> [ObjectRepresentation<Value>.Member] {
        [
            .init(
                "username", .text(.username),
                "The name in links, in lower case. It can change."
            ) { $0.username },
            .init(
                "displayName", .text(.displayName),
                "The name that is shown: any script, on one line, 1 to \(DisplayName.limit) characters."
            ) { $0.displayName },
        ]
    }

    static let user = ObjectRepresentation<User>(
        "User", "A user.",
        idMember() + nameMembers() + [
            .init(
                "bio", .text(.bio),
                "What the user says about themselves, on one line; may be empty. At most \(Bio.limit) characters."
            ) { $0.bio },
            .init("createdAt", .date, "When the user signed up.") { $0.createdAt },
            .init(
                "listUpdatedAt", .nullable(.date),
                "When the user's list last changed; null if it never has."
            ) { $0.listUpdatedAt },
            page("/@rob") { "/@\($0.username)" },
        ])

    static let ownUser = ObjectRepresentation<User>(
        "OwnUser", "The current user, with the members only they can see.", extending: user, { $0 },
        [
            .init("visibility", visibility) { $0.visibility },
            .init(
                "showsRatings", .boolean(example: false),
                "Whether others see the user's ratings. The user always does."
            ) { $0.showsRatings },
            .init(
                "takesYearlySnapshots", .boolean(example: false),
                "Whether a snapshot of the list is taken on every December 31st (UTC)."
            ) { $0.takesYearlySnapshots },
            .init(
                "language", .nullable(.text(.language)),
                "The language of pages for the user, as a tag; null for what the browser asks for."
            ) { $0.language },
        ])

    static let tokenName = Schema.text(1...TokenName.limit, example: "My spreadsheet")

    static let scopesText =
        "What it may do. read: read what only the user may see. list:write: change the list, and take "
        + "snapshots of it. account: change the profile, circles and sessions, follow people, give hearts, export "
        + "everything, delete the account."

    /// Each scope once, in the order of their declaration.
    struct ScopesRepresentation: Representation {
        let schema = list(of: EnumerationRepresentation<TokenScope>().schema)

        static func list(of scope: Schema) -> Schema {
            var schema = Schema.array(of: scope, atMost: TokenScope.allCases.count)
            schema.keywords["minItems"] = 1
            return schema
        }

        func write(_ value: Set<TokenScope>, to json: inout JSONWriter, for site: SiteAddresses) {
            json.array(TokenScope.allCases.filter(value.contains)) { $0.string($1.rawValue) }
        }
    }

    static let scopes = ScopesRepresentation()

    static let personalToken = ObjectRepresentation<PersonalTokenRecord>(
        "PersonalToken", "A token that the user made for a program.",
        [
            .init("id", .uuid(example: Example.user), "The token's id.") { $0.id },
            .init("name", .text(tokenName), "What it is for.") { $0.name },
            .init("scopes", scopes, scopesText) { $0.scopes },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            .init(
                "expiresAt", .nullable(.date),
                "When it expires; null if it is valid until it is revoked."
            ) { $0.expiresAt },
            .init(
                "usedAt", .nullable(.date),
                "When it was last used, to about five minutes; null if it never was."
            ) { $0.usedAt },
        ])

    struct NewPersonalToken: Sendable {
        let record: PersonalTokenRecord
        let token: PersonalToken
    }

    static let newPersonalToken = ObjectRepresentation<NewPersonalToken>(
        "CreatedPersonalToken", "A personal token with its secret.", extending: personalToken,
        { $0.record },
        [
            .init(
                "token",
                .text(
                    pattern: "^fave_pat_[A-Za-z0-9_-]{43}$",
                    example: "fave_pat_6A2erJy9yZhKgYIejGNBnm73CBGJ8MJvp6TBRyNfTmk"),
                "The token itself. It isn't shown again."
            ) { $0.token.text }
        ])
}
