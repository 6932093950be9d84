import Actions
import Endpoints
import FaveGames
import HTTPTypes
import Languages
import Storage
import Views

/// What moderators do. Only the access tokens of their sessions are accepted.
enum ModerationAPI {
    private static let moderators = RouteGroup<User>("/api/v1/moderation", for: .moderator)

    static let routes = [
        moderators.route(
            .get, "/cases",
            .api(
                "listCases", .moderation, "List open cases",
                "The oldest first, without those about the moderator. For the next page, send the "
                    + "last id of this one."),
            takes: .caseBefore,
            returns: .array(
                "cases", of: reportCase, "The cases.", atMost: Store.casesPerPage,
                "The open cases."),
            caching: .never
        ) { context, moderator, after in
            try await context.services.store.openCases(after: after ?? 0, for: moderator.id)
        },

        moderators.route(
            .post, "/cases/{case}/decision",
            .api(
                "decideCase", .moderation, "Decide about a case",
                "Closes it. The affected person sees the reason."),
            takes: .caseID, .json(NewDecision.self), returns: .noContent,
            fails: [.notFound, .conflict]
        ) { context, moderator, caseID, new in
            try await context.moderation.resolve(
                caseID: caseID, new.decision, reason: new.reason, by: moderator)
        },

        moderators.route(
            .post, "/circles/{circle}/hide",
            .api(
                "hideCircle", .moderation, "Hide a public circle's name and description",
                "The owner sees the reason, and can write a new name and description."),
            takes: .circle, .json(NewReason.self), returns: .noContent,
            fails: [.notFound, .conflict]
        ) { context, moderator, circle, new in
            try await context.moderation.hideCircle(circle, reason: new.reason, by: moderator)
        },

        moderators.route(
            .get, "/actions",
            .api(
                "listModerationActions", .moderation, "List what moderators did",
                "The latest first."),
            returns: .array(
                "actions", of: action, "The actions.", atMost: 200, "The latest actions."),
            caching: .never
        ) { context, _ in try await context.services.store.moderationLog() },

        moderators.route(
            .post, "/actions/{action}/undo",
            .api(
                "undoModerationAction", .moderation, "Take an action back",
                "Shows a comment, a list or a circle's name again, or ends a suspension."),
            takes: .actionID, returns: .noContent, fails: [.notFound, .conflict]
        ) { context, moderator, actionID in
            try await context.moderation.undo(actionID, by: moderator)
        },

        moderators.route(
            .get, "/new-lists",
            .api(
                "listNewLists", .moderation, "List new accounts whose lists aren't public yet",
                "Those that wait longest first."),
            returns: .array(
                "newLists", of: newAccount, "The accounts.", atMost: 100, "The new accounts."),
            caching: .never
        ) { context, _ in try await context.services.store.newAccounts() },

        moderators.route(
            .delete, "/new-lists/{username}",
            .api("approveNewList", .moderation, "Show a new account's list publicly at once"),
            takes: .username, returns: .noContent, fails: [.notFound]
        ) { context, moderator, username in
            try await context.moderation.approve(username, by: moderator)
        },

        Route(
            .get, "/api/v1/me/notices",
            .api(
                "listNotices", .me, "List what moderators did that concerns the user",
                "The latest first: what is hidden now, and suspensions of the last 90 days."),
            takes: .user(.read),
            returns: .array("notices", of: notice, "The notices.", atMost: 50, "The notices.")
        ) { context, user in try await context.services.store.moderationNotices(userID: user.id) },
    ]

    struct NewDecision: RequestBody {
        let decision: ModerationDecision
        let reason: ModerationNote

        init?(from reader: inout JSONObjectReader) {
            let actions: [ModerationAction] = [
                .dismiss, .hideComment, .hideList, .hideCircle, .suspend,
            ]
            let action = reader.required(
                "decision", .choice(of: actions),
                "What to do. suspend ends the user's sessions, and no one can sign in until it is over."
            )
            let reason = reader.optional(
                "reason", .note, "Shown to the person; required unless dismissed.")
            let days = reader.nullable(
                "days", .integer(ModerationDecision.suspensionDays, example: 7),
                "How long a suspension lasts; until it is undone if null or omitted.")
            if let action, action != .dismiss, reason?.text.isEmpty ?? true {
                reader.note("reason", .missing, .isMissing)
            }
            switch action {
            case .dismiss: decision = .dismiss
            case .hideComment: decision = .hideComment
            case .hideList: decision = .hideList
            case .hideCircle: decision = .hideCircle
            case .suspend: decision = .suspend(days: days ?? nil)
            default: return nil
            }
            self.reason = reason ?? .empty
        }
    }

    struct NewReason: RequestBody {
        let reason: ModerationNote

        init?(from reader: inout JSONObjectReader) {
            let reason = reader.required("reason", .note, "Shown to the owner.")
            if let reason, reason.text.isEmpty {
                reader.note("reason", .tooShort, .english("This must not be empty."))
            }
            guard let reason else { return nil }
            self.reason = reason
        }
    }

    private static let reportCase = ObjectRepresentation<ReportCase>(
        "ReportCase", "Something that was reported, whatever the number of reports.",
        [
            .init("id", .integer(1..., example: 7), "The case's number.") { $0.id },
            .init(
                "kind", EnumerationRepresentation<ReportedKind>(),
                "A comment on an entry, a list, a profile or a circle."
            ) { $0.kind },
            .init("username", .text(.username), "Whose it is.") { $0.username },
            .init("displayName", .text(.displayName), "Their name.") { $0.displayName },
            .init(
                "reported", .text(example: "Buy this!"),
                "The text that was reported first: the comment, or the name and the description."
            ) { $0.reported },
            .init(
                "circle", .nullable(.uuid(example: Example.circle)),
                "The circle; null if it is gone, and for other kinds."
            ) { $0.circle?.id },
            .init(
                "game", .nullable(.text(example: "Portal")), "The game of the entry, if it is one."
            ) { $0.game },
            .init(
                "comment", .nullable(.text(.comment)),
                "The comment as it is now; null if the entry is gone, and for other kinds."
            ) { $0.comment },
            .init("openedAt", .date, "When it was first reported.") { $0.openedAt },
            .init("reports", .integer(1..., example: 3), "The number of reports.") {
                $0.reportCount
            },
            .init(
                "reasons", .array(of: EnumerationRepresentation<ReportReason>()),
                "The reasons of the reports, most frequent first."
            ) { $0.reasons },
            .init(
                "notes", .array(of: .text(example: "It insults people."), atMost: 10),
                "What reporters wrote, the latest first."
            ) { $0.notes },
        ])

    private static let reason = Schema.text(
        0...ModerationNote.limit, example: "It insults people.")

    private static let action = ObjectRepresentation<ModerationRecord>(
        "ModerationAction", "What a moderator did.",
        [
            .init("id", .integer(1..., example: 12), "The action's number.") { $0.id },
            .init("action", EnumerationRepresentation<ModerationAction>(), "What was done.") {
                $0.action
            },
            .init("doneAt", .date, "When.") { $0.doneAt },
            .init(
                "moderator", .nullable(.text(.username)),
                "The moderator; null for an operator, or if the account was deleted."
            ) { $0.actor },
            .init(
                "username", .nullable(.text(.username)),
                "The affected person; null if the account was deleted."
            ) { $0.username },
            .init("reason", .text(reason), "What they were told.") { $0.reason },
            .init("until", .nullable(.date), "When a suspension ends.") { $0.until },
            .init("undoneAt", .nullable(.date), "When it was taken back.") { $0.undoneAt },
            .init("isInForce", .boolean(example: true), "Whether it can be undone.") {
                $0.isInForce
            },
        ])

    private static let newAccount = ObjectRepresentation<NewAccount>(
        "NewList", "A new account whose list isn't shown publicly yet.",
        [
            .init("username", .text(.username), "The username.") { $0.username },
            .init("displayName", .text(.displayName), "The name.") { $0.displayName },
            .init("bio", .text(.bio), "What they say about themselves.") { $0.bio },
            .init("publicFrom", .date, "When the list becomes public automatically.") { $0.until },
        ])

    static let notice = ObjectRepresentation<ModerationNotice>(
        "Notice", "What a moderator did that concerns the user.",
        [
            .init(
                "action", EnumerationRepresentation<ModerationAction>(),
                "hide_comment, hide_list, hide_circle or suspend."
            ) { $0.action },
            .init("doneAt", .date, "When.") { $0.doneAt },
            .init("reason", .text(reason), "Why.") { $0.reason },
            .init(
                "game", .nullable(.text(example: "Portal")), "The game whose comment was hidden."
            ) { $0.game?.main },
            .init("comment", .nullable(.text(.comment)), "The comment that was hidden.") {
                $0.comment
            },
            .init(
                "circle", .nullable(.text(example: "Tuesday Club")),
                "The name of the circle that was hidden."
            ) { $0.circle },
            .init("until", .nullable(.date), "When a suspension ends or ended.") { $0.until },
        ])
}

extension Input where Value == Int? {
    fileprivate static var caseBefore: Self {
        .query(
            "after", "The last case of the page before.",
            .integer(0..., example: 7)
        ) { text throws(Problem) in
            guard let text else { return nil }
            guard text.utf8.count <= 18, let id = Int(text), id >= 0 else {
                throw .invalidParameter("after", "must be a case's number")
            }
            return id
        }
    }
}

extension Input where Value == Int {
    static var caseID: Self {
        .path("case", "The case's number.", .integer(1..., example: 7)) {
            parseNumber($0)
        }
    }

    static var actionID: Self {
        .path("action", "The action's number.", .integer(1..., example: 12)) {
            parseNumber($0)
        }
    }

    @Sendable private static func parseNumber(_ text: String) -> Int? {
        guard text.utf8.count <= 18, let number = Int(text), number > 0, String(number) == text
        else { return nil }
        return number
    }
}
