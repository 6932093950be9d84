import FaveGames
import JSON

// PostgreSQL writes the document: see `Users.export` in Storage. A test checks the document against
// this schema.
extension Schema {
    static let export = object(
        "Export", "Everything held about a user.",
        [
            member("exportedAt", .date, "When the document was written."),
            member("user", user, nil),
            member("list", list, nil),
            member("keptLists", array(of: keptList), "The lists that the user kept, oldest first."),
            member("password", passwordState, nil),
            member(
                "identities", array(of: identity, atMost: 10), "Connected sign-ins, oldest first."),
            member("sessions", array(of: session), "Open sessions, oldest first."),
            member(
                "pendingMailAddress", text(example: "jane@mail.example").nullable,
                "The one that waits to be confirmed; or null."),
            member("notices", array(of: notice), "What moderators did that concerns the user."),
            member("reports", array(of: report), "What the user has reported."),
            member("invitations", array(of: invitation), "The user's invitations."),
            member("following", array(of: follow), "Whom the user follows, the longest first."),
            member("followers", array(of: follow), "Who follows the user, the longest first."),
            member("followFeed", followFeed, nil),
            member("hearts", array(of: heart), "Hearts that the user has given, oldest first."),
            member(
                "circles", array(of: circle, atMost: Circle.joinedLimit),
                "The circles that the user is in."),
            member("passkeys", array(of: passkey), "Passkeys, without their keys."),
            member("import", imported, nil),
            member(
                "mailAddress", text(example: "jane@mail.example").nullable,
                "The address of mail; null if there is none."),
            member(
                "tokens", array(of: personalToken), "Personal tokens, without their secrets."),
        ])

    private static let user = object(
        nil, "The account.",
        [
            member("id", uuid(Example.user), "The user's id."),
            member("username", .username, "The name in links, in lower case. It can change."),
            member(
                "formerUsernames",
                array(
                    of: text(pattern: "^[a-z0-9_-]{2,30}$", example: "robby"),
                    "A former name, which redirects to the user."), "Oldest first."),
            member("displayName", .displayName, "The name that is shown."),
            member("bio", .bio, "What the user says about themselves."),
            member("visibility", V1.visibility.schema, nil),
            member(
                "showsRatings", boolean(example: false), "Whether others see the user's ratings."),
            member(
                "keepsYears", boolean(example: false),
                "Whether the list is kept as it is on every December 31st."),
            member("role", values(Role.allCases.map(\.rawValue)), "What the user may do here."),
            member("createdAt", .date, "When the user signed up."),
            member(
                "disabledAt", date.nullable.example(JSONValue.null),
                "When the operator disabled the account; null if it is not disabled."),
        ])

    private static let list = object(
        nil, "The list.",
        [
            member(
                "updatedAt", date.nullable, "When the list last changed; null if it never has."),
            member(
                "entries", array(of: entry, atMost: FaveList.limit),
                "In the order of their positions, at most five."),
        ])

    private static let entry = object(
        "ExportedEntry", "An entry with names instead of links.",
        [
            member("id", uuid(Example.entry), "The entry's id."),
            member("position", .position, "The entry's place on the list, from 1."),
            member("gameId", .igdbGame, "The game's id."),
            member("game", text(example: "Portal"), "The game's name."),
            member("platformId", .igdbPlatform, "The platform's id."),
            member("platform", text(example: "PC (Microsoft Windows)"), "The platform's name."),
            member("comment", .comment, "Why the user loves it."),
            member(
                "rating", rating.nullable.undescribed,
                "How much the user loves it; null if there is no rating."),
            member("tags", .tags, nil),
            member("createdAt", .date, "When the entry was added."),
            member("updatedAt", .date, "When the entry's contents last changed."),
        ])

    private static let keptList = object(
        nil, nil,
        [
            member("slug", V1.keptSlug, "The end of its address."),
            member("title", V1.keptTitle, "The title that the user gave it."),
            member("keptAt", .date, "When it was kept."),
            member(
                "showedRatings", boolean(example: false), "Whether others saw the ratings then."),
            member(
                "entries", array(of: keptEntry, atMost: FaveList.limit),
                "In the order of their positions, at most five."),
        ])

    private static let keptEntry = object(
        nil, nil,
        [
            member("position", .position, "The entry's place on the list, from 1."),
            member("gameId", .igdbGame, "The game's id."),
            member("game", text(example: "Portal"), "The game's name."),
            member("platformId", .igdbPlatform, "The platform's id."),
            member("platform", text(example: "PC (Microsoft Windows)"), "The platform's name."),
            member("comment", .comment, "Why the user loved it."),
            member(
                "isCommentHidden", boolean(example: false),
                "Whether moderators have hidden the comment."),
            member(
                "rating", rating.nullable.undescribed,
                "How much the user loved it; null if there is no rating."),
            member("tags", .tags, nil),
        ])

    private static let passwordState: Schema = {
        var schema = object(
            nil, "What is known about the password; null if there is none.",
            [member("changedAt", .date, "When it was last set or changed.")])
        schema.keywords["type"] = ["object", "null"]
        return schema
    }()

    private static let identity = object(
        nil, nil,
        [
            member("issuer", text(example: "https://id.example"), "The provider."),
            member("subject", text(example: "248289761001"), "The provider's id for the user."),
            member("linkedAt", .date, "When it was connected."),
        ])

    private static let session = object(
        nil, nil,
        [
            member("kind", values(["browser", "api"]), "In a browser, or through the API."),
            member(
                "device", text(example: "Firefox on Linux").nullable,
                "What it was opened on; null if it did not say."),
            member(
                "network", text(example: "203.0.113.0/24").nullable,
                "The network that it was opened from; null if not known."),
            member("createdAt", .date, "When it began."),
            member("seenAt", .date, "When it was last used, approximately."),
            member("expiresAt", .date, "When it ends."),
        ])

    private static let notice = object(
        nil, nil,
        [
            member("act", values(ModerationAct.allCases.map(\.rawValue)), "What was done."),
            member("doneAt", .date, "When."),
            member("reason", text(example: "It insults people."), "Why."),
            member(
                "comment", text(example: "Buy this!").nullable,
                "The comment that is hidden; or null."),
            member(
                "circle", text(example: "Tuesday Club").nullable,
                "The name of a circle that is hidden; or null."),
        ])

    private static let report = object(
        nil, nil,
        [
            member("reason", values(ReportReason.allCases.map(\.rawValue)), "What is wrong."),
            member("note", text(example: "It insults people."), "What the user added."),
            member("madeAt", .date, "When."),
        ])

    private static let invitation = object(
        nil, nil,
        [
            member("uses", integer(1..., example: 1), "For how many people."),
            member("usesLeft", integer(0..., example: 1), "For how many people still."),
            member("createdAt", .date, "When it was made."),
            member("expiresAt", .date, "When it expires."),
        ])

    private static let follow = object(
        nil, nil,
        [
            member(
                "username", text(example: "ada").nullable,
                "Null if the person's list isn't public now."),
            member("followedAt", .date, "Since when."),
        ])

    private static let followFeed: Schema = {
        var schema = object(
            nil, "What is known about the private feed; null if there is none.",
            [member("madeAt", .date, "When it got its address.")])
        schema.keywords["type"] = ["object", "null"]
        return schema
    }()

    private static let heart = object(
        nil, nil,
        [
            member(
                "entryId", uuid(Example.entry).nullable,
                "The entry with the comment; null if the list isn't public now."),
            member(
                "game", text(example: "Portal").nullable,
                "The game's name; null if the list isn't public now."),
            member(
                "username", text(example: "ada").nullable,
                "Whose comment it is; null if their list isn't public now."),
            member("givenAt", .date, "When."),
        ])

    private static let circle = object(
        nil, nil,
        [
            member("id", uuid(Example.circle), "The circle's id."),
            member("name", .circleName, "The name."),
            member("description", .circleDescription, "What it is about."),
            member("visibility", V1.circleVisibility.schema, nil),
            member("role", values(CircleRole.allCases.map(\.rawValue)), "What the user is in it."),
            member("createdAt", .date, "When it was made."),
            member("joinedAt", .date, "When the user joined."),
            member(
                "invitations", array(of: invitation), "Invitations to it, if the user owns it."),
        ])

    private static let imported: Schema = {
        var schema = object(
            nil, "The list from elsewhere that the user brought; null if there is none.",
            [
                member("fileName", text(example: "games.csv"), "The file's name."),
                member("madeAt", .date, "When it was brought."),
                member("rows", array(of: importedRow, atMost: ImportedRow.limit), "Its rows."),
            ])
        schema.keywords["type"] = ["object", "null"]
        return schema
    }()

    private static let importedRow = object(
        nil, nil,
        [
            member("line", integer(1..., example: 2), "The line on which it begins."),
            member("name", text(example: "Portal"), "The game's name in the file."),
            member("namedId", igdbGame.nullable, "IGDB's id of the game in the file; or null."),
            member("platforms", text(example: "PC"), "The platforms in the file."),
            member(
                "releaseYear", integer(0..., example: 2007).nullable,
                "The year in the file; or null."),
            member("score", text(example: "4.5"), "The rating in the file."),
            member("rating", integer(1...5, example: 5).nullable, "The rating as stars; or null."),
            member("comment", text(example: Example.comment), "The comment in the file."),
            member("tags", text(example: "puzzle, short"), "The tags in the file."),
            member("shelf", text(example: "Played"), "The shelf or status in the file."),
            member("date", text(example: "2011-04-19"), "The date in the file."),
            member(
                "finding", text(example: "found").nullable,
                "What was found; null if it was not looked for yet."),
            member("gameId", igdbGame.nullable, "The game that was found; or null."),
            member("platformId", igdbPlatform.nullable, "The platform that was found; or null."),
        ])

    private static let passkey = object(
        nil, nil,
        [
            member("name", V1.tokenName, "The name that the user gave it."),
            member("createdAt", .date, "When it was added."),
            member("usedAt", .date.nullable, "When it was last used; null if it never was."),
        ])

    private static let personalToken = object(
        nil, nil,
        [
            member("name", V1.tokenName, "What the token is for."),
            member("scopes", V1.scopes.schema, "What it may do."),
            member("createdAt", .date, "When it was made."),
            member("expiresAt", .date.nullable, "When it expires; null if it doesn't."),
            member("usedAt", .date.nullable, "When it was last used; null if it never was."),
        ])

    private static let date = DateRepresentation().schema

    private static func uuid(_ example: String) -> Schema { text(format: "uuid", example: example) }

    private static func member(
        _ name: String, _ schema: Schema, _ description: String?
    ) -> Member {
        Member(name: name, schema: schema, description: description, isRequired: true)
    }

    private var undescribed: Schema {
        var schema = self
        schema.keywords["description"] = nil
        return schema
    }
}
