public import Endpoints
import FaveGames
import Foundation
import JSON
public import Storage

/// Everything held about a user as one document, put together from the API's own representations.
public enum PersonalExport {
    public static func json(_ data: PersonalData, for site: SiteAddresses) -> [UInt8] {
        var json = JSONWriter()
        document.write(data, to: &json, for: site)
        return json.bytes
    }

    static let document = ObjectRepresentation<PersonalData>(
        "AccountExport", "Everything held about a user.", account + waysIn + relations)

    // MARK: The account and its lists

    private static let account: [ObjectRepresentation<PersonalData>.Member] = [
        .init("exportedAt", .date, "When the document was written.") { $0.account.readAt },
        .init("user", user) { $0.account },
        .init("list", V1.list) { $0.account.list },
        .init("snapshots", .array(of: snapshot), "The snapshots of the list, the latest first.") {
            $0.account.snapshots
        },
        .init(
            "import", NullableRepresentation(imported),
            "The file from elsewhere that the user brought; null if there is none."
        ) { $0.account.gameImport },
        .init(
            "password", NullableRepresentation(password),
            "The password's date; null if there is none."
        ) { $0.account.passwordChangedAt },
    ]

    private static let user = ObjectRepresentation<PersonalData.Account>(
        "ExportedUser", "The user, with what else is held about the account.",
        extending: V1.ownUser, { $0.list.owner },
        [
            .init(
                "formerUsernames", .array(of: .text(.username)),
                "Those that still lead to the user, the latest first."
            ) { $0.formerUsernames },
            .init("role", EnumerationRepresentation<Role>(), "What the user may do here.") {
                $0.list.owner.role
            },
            .init(
                "disabledAt", .nullable(.date),
                "When the account was disabled; null if it isn't disabled."
            ) { $0.disabledAt },
            .init(
                "newsSeenAt", .nullable(.date),
                "When the user last looked at their news; null if they never did."
            ) { $0.newsSeenAt },
        ])

    private static let snapshot = ObjectRepresentation<(list: Snapshot, showedRatings: Bool)>(
        "ExportedSnapshot", "A snapshot, with the comments that moderators have hidden.",
        extending: V1.snapshot, { $0.list },
        [
            .init(
                "showedRatings", .boolean(example: false), "Whether others saw the ratings then."
            ) { $0.showedRatings }
        ])

    private static let imported = ObjectRepresentation<(file: GameImport, rows: [StoredImportRow])>(
        nil, nil,
        V1.gameImport.members.map { $0.of { $0.file } } + [
            .init("rows", .array(of: importedRow, atMost: ImportedRow.limit), "Its rows.") {
                $0.rows
            }
        ])

    private static let importedRow = ObjectRepresentation<StoredImportRow>(
        nil, "A row of the file, and what was found for it.",
        [
            .init("line", .integer(1..., example: 2), "The line on which it begins.") {
                $0.row.line
            },
            .init("name", .text(example: "Portal"), "The game's name.") { $0.row.name },
            .init("gameId", .nullable(.integer(.igdbGame)), "The game's id; null if not given.") {
                $0.row.gameID
            },
            .init("platforms", .text(example: "PC"), "The platforms.") { $0.row.platforms },
            .init(
                "releaseYear", .nullable(.integer(0..., example: 2007)),
                "The year; null if not given."
            ) { $0.row.releaseYear },
            .init("score", .text(example: "4.5"), "The rating.") { $0.row.score },
            .init("rating", .nullable(.integer(.rating)), "The rating as stars; or null.") {
                $0.row.rating?.value
            },
            .init("comment", .text(.comment), "The comment.") { $0.row.comment.text },
            .init("tags", .array(of: .text(example: "puzzle")), "The tags.") {
                $0.row.tags.texts
            },
            .init("shelf", .text(example: "Played"), "The shelf or status.") { $0.row.shelf },
            .init("date", .text(example: "2011-04-19"), "The date.") { $0.row.date },
            .init(
                "finding", .nullable(EnumerationRepresentation<ImportFinding>()),
                "The result of the look-up; null before the row is looked up."
            ) { $0.row.finding },
            .init("game", NullableRepresentation(V1.game), "The game that was found; or null.") {
                $0.game
            },
            .init(
                "platform", NullableRepresentation(V1.platform),
                "The platform that was found; or null."
            ) { $0.platform },
        ])

    private static let password = ObjectRepresentation<Date>(
        nil, nil, [.init("changedAt", .date, "When it was last set or changed.") { $0 }])

    // MARK: How the user signs in

    private static let waysIn: [ObjectRepresentation<PersonalData>.Member] = [
        .init(
            "identities", .array(of: identity, atMost: Store.identityLimit),
            "Connected sign-ins, the first one first."
        ) { $0.waysIn.identities },
        .init("passkeys", .array(of: passkey), "Passkeys, without their keys.") {
            $0.waysIn.passkeys
        },
        .init(
            "recoveryCodes", NullableRepresentation(recoveryCodes),
            "The number and the date of the recovery codes; null if there are none."
        ) { $0.waysIn.recoveryCodes },
        .init("mailAddresses", RecoveryAPI.addresses) { $0.waysIn.mailAddresses },
        .init("tokens", .array(of: V1.personalToken), "Personal tokens, without their secrets.") {
            $0.waysIn.tokens
        },
        .init("sessions", .array(of: V1.session), "Open sessions, the last used first.") {
            $0.waysIn.sessions
        },
        .init("apps", .array(of: app), "Apps that the user has registered, the latest first.") {
            $0.waysIn.apps
        },
        .init(
            "knownBrowsers", .array(of: browser),
            "Browsers and programs that the user has signed in with, the last used first."
        ) { $0.waysIn.knownBrowsers },
    ]

    private static let identity = ObjectRepresentation<LinkedIdentity>(
        nil, nil,
        [
            .init("issuer", .text(example: "https://id.example"), "The provider.") { $0.issuer },
            .init("subject", .text(example: "248289761001"), "The provider's id for the user.") {
                $0.subject
            },
            .init("linkedAt", .date, "When it was connected.") { $0.linkedAt },
        ])

    private static let passkey = ObjectRepresentation<PasskeyRecord>(
        nil, nil,
        [
            .init("name", .text(V1.tokenName), "The name that the user gave it.") { $0.name },
            .init("createdAt", .date, "When it was added.") { $0.createdAt },
            .init("usedAt", .nullable(.date), "When it was last used; null if it never was.") {
                $0.usedAt
            },
        ])

    private static let app = ObjectRepresentation<ClientApp>(
        nil, nil,
        [
            .init("id", .uuid(example: Example.user), "The app's id.") { $0.id },
            .init("name", .text(V1.tokenName), "Its name.") { $0.name },
            .init("address", .text(example: "https://shelf.example"), "Its address.") {
                $0.address
            },
            .init(
                "redirects", .array(of: .text(example: "https://shelf.example/signed-in")),
                "Where people may be sent back to."
            ) { $0.redirects },
            .init("createdAt", .date, "When it was registered.") { $0.createdAt },
        ])

    private static let recoveryCodes = ObjectRepresentation<RecoveryCodes>(
        nil, nil,
        [
            .init("createdAt", .date, "When they were made.") { $0.madeAt },
            .init("unused", .integer(1..., example: 10), "How many are unused.") { $0.unused },
        ])

    private static let browser = ObjectRepresentation<Date>(
        nil, nil, [.init("usedAt", .date, "When the user last signed in with it.") { $0 }])

    // MARK: The user's relations to others

    private static let relations: [ObjectRepresentation<PersonalData>.Member] = [
        .init("following", .array(of: follow), "Whom the user follows, the latest first.") {
            $0.relations.following
        },
        .init("followers", .array(of: follow), "Who follows the user, the latest first.") {
            $0.relations.followers
        },
        .init(
            "blocks", .array(of: BlocksAPI.blockedPerson),
            "The people the user has blocked, the latest first."
        ) { $0.relations.blocks },
        .init(
            "followFeed", NullableRepresentation(followFeed),
            "The private feed's date; null if there is none."
        ) { $0.relations.followFeedMadeAt },
        .init("hearts", .array(of: heart), "Hearts that the user has given, the oldest first.") {
            $0.relations.hearts
        },
        .init(
            "circles", .array(of: circle, atMost: Circle.joinedLimit),
            "The circles that the user is in, by name."
        ) { $0.relations.circles },
        .init(
            "webhooks", .array(of: webhook, atMost: Circle.ownedLimit),
            "Where the changes in the user's own circles are sent, without the secrets."
        ) { $0.relations.webhooks },
        .init(
            "invitations", .array(of: InvitationsAPI.invitation),
            "The user's invitations to this site, the latest first."
        ) { $0.relations.invitations },
        .init(
            "notices", .array(of: ModerationAPI.notice),
            "What moderators did that concerns the user, the latest first."
        ) { $0.relations.notices },
        .init("reports", .array(of: report), "What the user has reported, the oldest first.") {
            $0.relations.reports
        },
    ]

    private static let follow = ObjectRepresentation<PersonalData.Follow>(
        nil, nil,
        [
            .init(
                "username", .nullable(.text(.username)),
                "Null if the person's list isn't public now."
            ) { $0.username },
            .init("followedAt", .date, "Since when.") { $0.followedAt },
        ])

    private static let followFeed = ObjectRepresentation<Date>(
        nil, nil, [.init("createdAt", .date, "When it got its address.") { $0 }])

    private static let heart = ObjectRepresentation<GivenHeart>(
        nil, "The entry, the game and the name are null if the list isn't public now.",
        [
            .init(
                "entryId", .nullable(.uuid(example: Example.entry)), "The entry with the comment."
            ) { $0.entryID },
            .init("game", NullableRepresentation(V1.game), "Its game.") { $0.game },
            .init("username", .nullable(.text(.username)), "Whose comment it is.") {
                $0.username
            },
            .init("givenAt", .date, "When.") { $0.givenAt },
        ])

    private static let circle = ObjectRepresentation<
        (circle: OwnCircle, invitations: [CircleInvitation])
    >(
        "ExportedCircle", "A circle that the user is in, with what the user owns of it.",
        extending: V1.ownCircle, { $0.circle },
        [
            .init(
                "invitations", .array(of: V1.circleInvitation),
                "Invitations to it, if the user owns it, the latest first."
            ) { $0.invitations }
        ])

    private static let webhook = ObjectRepresentation<(circleID: UUID, webhook: CircleWebhook)>(
        "ExportedWebhook", "The webhook of a circle, with its address.",
        extending: V1.circleWebhook, { $0.webhook },
        [
            .init("circleId", .uuid(example: Example.circle), "The circle's id.") { $0.circleID },
            .init("address", .text(.webhookAddress), "The address.") { $0.webhook.address },
        ])

    private static let report = ObjectRepresentation<MadeReport>(
        nil, nil,
        [
            .init("reason", EnumerationRepresentation<ReportReason>(), "What is wrong.") {
                $0.reason
            },
            .init("note", .text(example: "It insults people."), "What the user added.") {
                $0.note
            },
            .init("createdAt", .date, "When.") { $0.madeAt },
        ])
}
