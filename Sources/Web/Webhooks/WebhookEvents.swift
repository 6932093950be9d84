package import Endpoints
import FaveGames
package import Foundation
import JSON
package import Outbox
import Storage
import Views

/// The messages to webhooks, and how they are written.
package enum WebhookEvents {
    /// Those that the OpenAPI document describes.
    static let all: [OpenAPI.Webhook] = [
        .init(
            reportCreated, "Something was reported",
            "For moderators, if the operator has set MODERATION_WEBHOOK_URL. Further reports of the "
                + "same thing send nothing. It says neither what was reported nor who reported it."),
        .init(memberJoined, "Someone joined a circle"),
        .init(memberLeft, "Someone left a circle", "Or was removed, or deleted their account."),
        .init(
            listChanged, "There are new games on a member's list",
            "Of public lists only, five minutes after the first change."),
        .init(renamed, "A circle has a new name"),
        .init(tested, "A test", "For a circle's owner or the operator, who asked for it."),
    ]

    /// The body of a message; `nil` if there is nothing to say.
    package static func body(
        _ news: WebhookNews, at date: Date, for site: SiteAddresses
    ) -> [UInt8]? {
        switch news {
        case .report(let notice): body(notice, at: date, for: site)
        case .change(let kind, let notice, let games):
            body(kind, notice, games, at: date, for: site)
        }
    }

    /// The body of a message that tries out the moderators' webhook.
    package static func test(for site: SiteAddresses) -> [UInt8] {
        write(
            WebhookMessage(
                happenedAt: Date(), content: nil,
                sentence: "This is a test from \(site.publicURL). New reports will show up here."),
            tested, for: site)
    }

    private static func body(
        _ notice: CaseNotice, at date: Date, for site: SiteAddresses
    ) -> [UInt8] {
        let thing = notice.kind == ReportedKind.entry.rawValue ? "reason" : notice.kind
        let others = notice.openCases == 1 ? "" : " \(notice.openCases) reports are waiting."
        return write(
            WebhookMessage(
                happenedAt: date, content: notice,
                sentence: "Someone reported a \(thing): \(notice.reason.text.lowercasedFirst)."
                    + "\(others) \(site.publicURL)/moderation"), reportCreated, for: site)
    }

    private static func body(
        _ kind: QueuedWebhook.Kind, _ notice: CircleNotice, _ games: [ToldGame], at date: Date,
        for site: SiteAddresses
    ) -> [UInt8]? {
        let content = CircleChange(notice: notice, games: games)
        let name = content.memberName
        func write(
            _ sentence: String, about path: String? = nil,
            _ type: ObjectRepresentation<WebhookMessage<CircleChange>>
        ) -> [UInt8] {
            let path = path ?? Path.circle(notice.circle.slug)
            return Self.write(
                WebhookMessage(
                    happenedAt: date, content: content,
                    sentence: "\(sentence) \(site.publicURL)\(path)"), type, for: site)
        }
        switch kind {
        case .report: return nil
        case .joined: return write("\(name) joined \(content.circleName).", memberJoined)
        case .left: return write("\(name) left \(content.circleName).", memberLeft)
        case .renamed:
            // It may have its former name again.
            guard notice.formerName != notice.circle.name else { return nil }
            return write("This circle is now called \(content.circleName).", renamed)
        case .list:
            let new = games.filter(\.isNew).map { ChatText.plain($0.game.name.main) }
            guard let member = notice.member, !new.isEmpty else { return nil }
            return write(
                "\(name) added \(ChatText.list(new)) to their five.",
                about: Path.list(member.username), listChanged)
        case .test:
            return Self.write(
                WebhookMessage(
                    happenedAt: date, content: content,
                    sentence: "This is a test. News of \(content.circleName) will show up here."),
                tested, for: site)
        }
    }

    private static func write<Type: Representation>(
        _ value: Type.Value, _ type: Type, for site: SiteAddresses
    ) -> [UInt8] {
        var json = JSONWriter()
        type.write(value, to: &json, for: site)
        return json.bytes
    }

    // MARK: Reports

    private static let reportCreated = WebhookMessage<CaseNotice>.representation(
        of: "report.created", "ReportCreatedEvent", "Something was reported for the first time.",
        sentence: "Someone reported a list: spam or advertising. https://fave.example/moderation",
        [
            .init("case", .integer(1..., example: 7), "The case's number.") { $0.caseID },
            .init(
                "kind", .text(example: "list"),
                "What was reported: entry (a reason), list, profile or circle."
            ) { $0.kind },
            .init("reason", EnumerationRepresentation<ReportReason>(), "What is wrong with it.") {
                $0.reason
            },
            .init("openCases", .integer(1..., example: 3), "How many cases are open.") {
                $0.openCases
            },
            .ofSite(
                "url", .text(format: "uri", example: "https://fave.example/moderation"),
                "Where moderators resolve it."
            ) { "\($1.publicURL)/moderation" },
        ])

    // MARK: Circles

    private struct CircleChange: Sendable {
        let notice: CircleNotice
        let games: [ToldGame]

        var circleName: String { ChatText.plain(notice.circle.name) }
        var memberName: String {
            notice.member.map { ChatText.plain($0.displayName) } ?? "Someone"
        }
    }

    private static let exampleURL = "https://fave.example/circles/tuesday-club"

    private static let circle = ObjectRepresentation<CircleChange>(
        "WebhookCircle", "The circle that an event is about.",
        [
            .init("id", .uuid(example: Example.circle), "The circle's id.") {
                $0.notice.circle.id
            },
            .init("name", .text(.circleName), "The circle's name.") { $0.notice.circle.name },
            .ofSite(
                "url", .text(format: "uri", example: exampleURL), "The circle's page."
            ) { $1.publicURL + Path.circle($0.notice.circle.slug) },
        ])

    private static let member = ObjectRepresentation<
        (id: UUID, username: String, displayName: String)
    >(
        "WebhookMember", "The member of a circle that an event is about.",
        [
            .init("id", .uuid(example: Example.user), "The user's id.") { $0.id },
            .init("username", .text(.username), "The username.") { $0.username },
            .init("displayName", .text(.displayName), "The name that is shown.") {
                $0.displayName
            },
            .ofSite(
                "url", .text(format: "uri", example: "https://fave.example/@rob"),
                "The page of the list."
            ) { $1.publicURL + Path.list($0.username) },
        ])

    private static let game = ObjectRepresentation<ToldGame>(
        "WebhookGame", "A game on the list.",
        [
            .init("id", .integer(.igdbGame), "The game's id.") { $0.game.id },
            .init("name", .text(example: "Portal"), "The game's name.") { $0.game.name.main },
            .ofSite(
                "url", .text(format: "uri", example: "https://fave.example/games/71"),
                "The game's page."
            ) { $1.publicURL + Path.game($0.game.id) },
            .init("platform", .text(example: "PC"), "The platform.") { $0.platform.shortName },
            .init("platformId", .integer(.igdbPlatform), "The platform's id.") { $0.platform.id },
            .init("isNew", .boolean(example: true), "Whether it was added.") { $0.isNew },
        ])

    private static let circleMember = ObjectRepresentation<CircleChange>.Member(
        "circle", circle, "The circle."
    ) { $0 }

    private static let memberMember = ObjectRepresentation<CircleChange>.Member(
        "member", NullableRepresentation(member),
        "The member; null if their list isn't public, or the account was deleted."
    ) { $0.notice.member }

    private static let memberJoined = WebhookMessage<CircleChange>.representation(
        of: "circle.member_joined", "CircleMemberJoinedEvent", "Someone joined a circle.",
        sentence: "Rob joined Tuesday Club. \(exampleURL)",
        [circleMember, memberMember])

    private static let memberLeft = WebhookMessage<CircleChange>.representation(
        of: "circle.member_left", "CircleMemberLeftEvent", "Someone left a circle.",
        sentence: "Rob left Tuesday Club. \(exampleURL)",
        [circleMember, memberMember])

    private static let listChanged = WebhookMessage<CircleChange>.representation(
        of: "circle.list_changed", "CircleListChangedEvent",
        "There are new games on a member's list.",
        sentence: "Rob added Portal to their five. https://fave.example/@rob",
        [
            circleMember, memberMember,
            .init(
                "games", .array(of: game, atMost: FaveList.limit),
                "Everything on the list, in its order."
            ) { $0.games },
        ])

    private static let renamed = WebhookMessage<CircleChange>.representation(
        of: "circle.renamed", "CircleRenamedEvent", "A circle has a new name.",
        sentence: "This circle is now called Tuesday Club. \(exampleURL)",
        [
            circleMember,
            .init("formerName", .text(.circleName), "What it was called before.") {
                $0.notice.formerName ?? ""
            },
        ])

    private static let tested = WebhookMessage<CircleChange?>.representation(
        of: "webhook.test", "WebhookTestEvent", "Someone tries the webhook out.",
        sentence: "This is a test. News of Tuesday Club will show up here.",
        [
            .init(
                "circle", NullableRepresentation(circle),
                "The circle; null for the moderators' webhook."
            ) { $0 }
        ])
}

extension OpenAPI.Webhook {
    /// - Parameter message: Its member `event` names the webhook.
    fileprivate init<Content>(
        _ message: ObjectRepresentation<WebhookMessage<Content>>, _ summary: String,
        _ description: String? = nil
    ) {
        let name = message.schema.example["event"]?.text ?? ""
        self.init(
            name: name, tag: .webhooks, summary: summary, description: description, message.schema)
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
