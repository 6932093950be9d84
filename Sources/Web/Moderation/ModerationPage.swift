import Actions
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The pages where moderators resolve reports, approve new accounts and read the log.
enum ModerationPage {
    static let path = "/moderation"
    private static let logPath = "\(path)/log"

    private static let forms = RouteGroup<Visitor>(
        path, for: .moderatingVisitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .moderatingVisitor(), .text("done"), .text("after"),
            returns: .response, caching: .never
        ) { context, visitor, done, after in
            try await queue(
                context, visitor, after: after.flatMap { Int($0) } ?? 0,
                notice: done.flatMap(Done.init)?.text)
        },
        Route(
            .get, logPath, .page, takes: .moderatingVisitor(), .text("done"), returns: .response,
            caching: .never
        ) { context, _, done in try await log(context, notice: done.flatMap(Done.init)?.text) },
        forms.post(
            "/cases/{case}", takes: .caseID, .form(ModerationAPI.NewDecision.self), handler: decide),
        Route(
            .post, "\(path)/actions/{action}/undo", .page,
            takes: .moderatingVisitor(returningTo: logPath), .actionID, on: logPath,
            returns: .response, handler: undo),
        forms.post("/new/{username}", takes: .username, handler: approve),
        forms.post("/mail", takes: .form(MailChoice.self), handler: chooseMail),
    ]

    /// The action that the page confirms.
    private enum Done: String {
        case decided, undone, approved, mailOn, mailOff

        var text: Words {
            switch self {
            case .decided: .caseClosed
            case .undone: .decisionUndone
            case .approved: .listApproved
            case .mailOn: .reportMailOn
            case .mailOff: .reportMailOff
            }
        }
    }

    @Sendable private static func decide(
        _ context: RequestContext, visitor: Visitor, caseID: Int, new: ModerationAPI.NewDecision
    ) async throws -> Response {
        try await context.moderation.resolve(
            caseID: caseID, new.decision, reason: new.reason, by: visitor.user)
        return .seeOther("\(path)?done=\(Done.decided.rawValue)")
    }

    @Sendable private static func undo(
        _ context: RequestContext, visitor: Visitor, actionID: Int
    ) async throws -> Response {
        try await context.moderation.undo(actionID, by: visitor.user)
        return .seeOther("\(logPath)?done=\(Done.undone.rawValue)")
    }

    @Sendable private static func approve(
        _ context: RequestContext, visitor: Visitor, username: Username
    ) async throws -> Response {
        try await context.moderation.approve(username, by: visitor.user)
        return .seeOther("\(path)?done=\(Done.approved.rawValue)")
    }

    private struct MailChoice: RequestBody {
        let isWanted: Bool

        init?(from reader: inout JSONObjectReader) {
            guard let isWanted = reader.required("reportMail", .boolean(example: true)) else {
                return nil
            }
            self.isWanted = isWanted
        }
    }

    @Sendable private static func chooseMail(
        _ context: RequestContext, visitor: Visitor, choice: MailChoice
    ) async throws -> Response {
        try await context.moderation.setMail(choice.isWanted, for: visitor.user)
        let done = choice.isWanted ? Done.mailOn : .mailOff
        return .seeOther("\(path)?done=\(done.rawValue)")
    }

    /// - Parameter id: The last case of the page before; 0 for the first page.
    private static func queue(
        _ context: RequestContext, _ visitor: Visitor, after id: Int = 0, notice: Words? = nil
    ) async throws -> Response {
        let cases = try await context.services.store.openCases(
            after: max(0, id), for: visitor.user.id)
        let newAccounts = try await context.services.store.newAccounts()
        let wantsMail = try await context.services.store.wantsReportMail(userID: visitor.user.id)
        let cards = cases.map { CaseCard($0, context) }
        let isShown = cards.contains(where: \.form.isRejected)
        let problem = isShown ? cards.lazy.compactMap(\.form.problem).first : context.problem()
        let content = View.moderation(
            FormKeys(token: context.formToken().token), notice: notice, problem: problem,
            cases: cards,
            next: cases.count == Store.casesPerPage
                ? cases.last.map { "\(path)?after=\($0.id)" } : nil,
            newAccounts: newAccounts.map(NewAccountCard.init), logHref: logPath,
            wantsMail: context.services.accounts.policy.hasMail ? wantsMail : nil,
            gaps: visitor.user.role == .admin ? try await gaps(context.services) : [])
        return .privatePage(model(.moderation, context), content)
    }

    /// What the site lacks, for those who can do something about it.
    private static func gaps(_ services: Services) async throws -> [SetupGap] {
        let site = services.settings.site
        let hasPlatforms = try await !services.store.platforms().isEmpty
        let lastBackup = try await services.store.lastMaintenance()
            .first { $0.task == Backups.task }?.date
        return SetupGap.allCases.filter { gap in
            switch gap {
            case .platforms: !hasPlatforms
            case .backup: !Backups.areRecent(lastBackup)
            case .rules: site.rules == nil
            case .imprint: site.imprint == nil
            case .contact: site.contact == nil
            case .mail: !services.accounts.policy.hasMail
            }
        }
    }

    private static func log(
        _ context: RequestContext, notice: Words? = nil
    ) async throws -> Response {
        let records = try await context.services.store.moderationLog()
        let content = View.moderationLog(
            FormKeys(token: context.formToken().token), notice: notice, problem: context.problem(),
            lines: records.map(LogLine.init), queueHref: path)
        return .privatePage(model(.moderationLog, context), content)
    }

    private static func model(_ title: Words, _ context: RequestContext) -> PageModel {
        var page = PageModel(
            title, description: .aboutModeration, path: nil, section: .settings,
            context: context.pageContext)
        page.isIndexed = false
        return page
    }
}

extension CaseCard {
    fileprivate init(_ reported: ReportCase, _ context: RequestContext) {
        let action = "\(ModerationPage.path)/cases/\(reported.id)"
        self.init(
            id: reported.id, kind: reported.kind, username: reported.username,
            name: reported.displayName, bio: reported.bio, reported: reported.reported,
            circle: reported.circle.map {
                CaseCard.CircleNow(
                    name: $0.name, description: $0.description,
                    href: $0.visibility == .public ? Path.circle($0.slug) : nil)
            }, comment: reported.comment,
            game: reported.game, openedAt: reported.openedAt, count: reported.reportCount,
            reasons: reported.reasons, notes: reported.notes,
            action: action,
            form: context.fields(of: action, showing: ["reason": "", "days": "7"]))
    }
}

extension NewAccountCard {
    fileprivate init(_ newAccount: NewAccount) {
        self.init(
            username: newAccount.username, name: newAccount.displayName, bio: newAccount.bio,
            until: newAccount.until, action: "\(ModerationPage.path)/new/\(newAccount.username)")
    }
}

extension LogLine {
    fileprivate init(_ record: ModerationRecord) {
        self.init(
            doneAt: record.doneAt, actor: record.actor, action: record.action,
            username: record.username, game: record.game, reason: record.reason,
            until: record.until, isUndone: record.undoneAt != nil,
            undo: record.isInForce ? "\(ModerationPage.path)/actions/\(record.id)/undo" : nil)
    }
}
