import Endpoints
import FaveGames
import HTTPTypes
import Identity

/// What a client of the API learns first.
enum ServiceAPI {
    static let routes = [
        Route(
            .get, "/api/v1",
            .service(
                .api, "getService", "Get the version, the limits and the addresses of this service"),
            returns: .json(service, "The service."), caching: .constant
        ) { context in context.services }
    ]

    private static let limits = ObjectRepresentation<WebSettings>(
        "ServiceLimits", "How much one client may do, and how much things may hold.",
        [
            .init(
                "readsPerMinute", .integer(0..., example: 600),
                "The units of reads for each address and each user; 0 means any number."
            ) { $0.rateLimits.reads },
            .init(
                "writesPerMinute", .integer(0..., example: 120),
                "The units of writes for each address and each user; 0 means any number."
            ) { $0.rateLimits.writes },
        ] + sizes)

    /// A length counts Unicode scalars, without white space at the ends except in passwords.
    private static let sizes: [ObjectRepresentation<WebSettings>.Member] = [
        size("bodyBytes", Site.bodyLimit, "The size of a body, other than a file to import."),
        size("entriesPerList", FaveList.limit, "The entries of a list."),
        size("commentLength", Comment.limit, "The characters of a comment."),
        size("tagsPerEntry", Tags.limit, "The tags of an entry."),
        size("tagLength", Tag.limit, "The characters of a tag."),
        size("usernameLength", Username.lengths.upperBound, "The most characters of a username."),
        size(
            "minimumUsernameLength", Username.lengths.lowerBound,
            "The fewest characters of a username."),
        size(
            "passwordLength", NewPassword.lengths.upperBound, "The most characters of a password."),
        size(
            "minimumPasswordLength", NewPassword.lengths.lowerBound,
            "The fewest characters of a new password."),
        size("displayNameLength", DisplayName.limit, "The characters of a person's name."),
        size("bioLength", Bio.limit, "The characters of what people say of themselves."),
        size("searchLength", SearchText.limit, "The characters of a search."),
        size("idsPerRequest", Query.maximumIDs, "The ids in the query of one request."),
        size("followed", Following.limit, "The people whom someone can follow."),
        size("blocked", Blocking.limit, "The people whom someone can block."),
        size("snapshots", Snapshot.limit, "The snapshots that someone can have."),
        size("snapshotTitleLength", SnapshotTitle.limit, "The characters of a snapshot's title."),
        size("circlesJoined", Circle.joinedLimit, "The circles that someone can be in."),
        size("circlesOwned", Circle.ownedLimit, "The circles that someone can own."),
        size("membersPerCircle", Circle.memberLimit, "The members of a circle."),
        size("invitationsPerCircle", Circle.invitationLimit, "A circle's open invitations."),
        size("circleNameLength", CircleName.limit, "The characters of a circle's name."),
        size(
            "circleDescriptionLength", CircleDescription.limit,
            "The characters of a circle's description."),
        size(
            "invitations", AccountPolicy.invitationLimit, "The invitations that someone has open."),
        size("mailAddressLength", MailAddress.limit, "The characters of an email address."),
        size("apps", ClientApp.limit, "The apps that someone can register."),
        size("redirectsPerApp", ClientApp.redirectLimit, "The redirect addresses of an app."),
        size("personalTokens", PersonalToken.limit, "The personal tokens that someone can have."),
        size("tokenNameLength", TokenName.limit, "The characters of a personal token's name."),
        size("reportNoteLength", ModerationNote.limit, "The characters of a report's note."),
        size("importRows", ImportedRow.limit, "The games in a file to import."),
        size("importBytes", ImportedRow.fileLimit, "The size of a file to import."),
    ]

    private static func size(
        _ name: StaticString, _ limit: Int, _ text: String
    ) -> ObjectRepresentation<WebSettings>.Member {
        .init(name, .integer(1..., example: limit), text) { _ in limit }
    }

    private static let links = ObjectRepresentation<String>(
        "ServiceLinks", "Addresses.",
        [
            .init("site", address(""), "The site for people.") { $0 },
            .init("openapi", address("/api/v1/openapi.json"), "The description of every operation.")
            {
                "\($0)/api/v1/openapi.json"
            },
            .init("documentation", address("/api"), "The same as a page.") { "\($0)/api" },
            .init("problems", address("/api/problems"), "Explains each kind of problem.") {
                "\($0)/api/problems"
            },
        ])

    private static func address(_ path: String) -> TextRepresentation {
        .text(format: "uri", example: Example.site + path)
    }

    private static let service = ObjectRepresentation<Services>(
        "Service", "The service.",
        [
            .init("name", .text(1..., example: Example.siteName), "The name of the site.") {
                $0.settings.site.name
            },
            .init(
                "version", .text(example: Release.version),
                "The version of the server and of the API (semantic versioning). Within a major version, "
                    + "members, operations and values of enumerations are only added."
            ) { _ in Release.version },
            .init(
                "signUp", EnumerationRepresentation<AccountPolicy.SignUp>(),
                "The people who may sign up: everyone, people with an invitation, or no one."
            ) { $0.accounts.policy.signUp },
            .init(
                "hasPasswords", .boolean(example: true),
                "Whether people can sign up and in with a password; otherwise only with a provider."
            ) { $0.accounts.policy.hasLocalAccounts },
            .init("limits", limits) { $0.settings },
            .init("links", links) { $0.settings.publicURL },
        ])
}
