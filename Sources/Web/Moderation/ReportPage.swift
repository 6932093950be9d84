import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Storage
import Views

/// The page where anyone can report a comment, a list, a profile or a circle.
enum ReportPage {
    static let path = "/report"

    static let routes = [
        Route(
            .get, path, .page, takes: .text("entry"), .text("username"), .text("circle"),
            .text("sent"), returns: .response, caching: .never, crawling: .disallowed
        ) { context, entry, username, circle, sent in
            let username = username.flatMap(Username.init)
            if sent != nil { return try await thanks(context, about: username) }
            if let circle { return try await page(context, circle: UUID(uuidString: circle)) }
            return try await page(context, entry.flatMap(UUID.init(uuidString:)), username)
        },
        Route(
            .post, path, .page, takes: .form(ReportsAPI.NewReport.self), returns: .response,
            handler: send),
    ]

    @Sendable private static func send(
        _ context: RequestContext, report: ReportsAPI.NewReport
    ) async throws -> Response {
        try await context.moderation.report(
            report.thing, by: context.visitor?.user, from: context.client.networkName,
            reason: report.reason, note: report.note)
        let name = try await context.reportedPerson(report.thing)
        return .seeOther("\(path)?sent=yes" + (name.map { "&username=\($0)" } ?? ""))
    }

    /// - Parameters:
    ///   - entry: The entry whose comment is reported.
    ///   - username: The owner of the list or profile that is reported otherwise.
    private static func page(
        _ context: RequestContext, _ entry: UUID?, _ username: Username?
    ) async throws -> Response {
        let reportable: Reportable?
        if let entry {
            reportable = try await context.services.store.reportable(entry: entry)
        } else {
            reportable = try await context.reportable(username)
        }
        guard let found = reportable else { throw ModerationError.notReportable }
        guard let entry else {
            return page(context, .person(username: found.username, name: found.displayName))
        }
        return page(
            context,
            .reason(
                entry: entry.text, by: found.displayName,
                game: found.game ?? "", comment: found.comment ?? ""))
    }

    private static func page(_ context: RequestContext, circle id: UUID?) async throws -> Response {
        guard let id else { throw ModerationError.notReportable }
        let found = try await context.services.store.circle(
            id: id, seenBy: context.visitor?.user.id)
        guard let circle = found?.circle else { throw ModerationError.notReportable }
        return page(
            context,
            .circle(
                id: id.text, name: circle.name, description: circle.description))
    }

    private static func page(_ context: RequestContext, _ subject: ReportSubject) -> Response {
        var page = PageModel(
            "Report", description: "Tell the moderators what’s wrong.", path: nil,
            context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        var shown = ["reason": "", "note": ""]
        if case .person = subject { shown["kind"] = ReportedKind.list.rawValue }
        return .privatePage(
            page,
            .report(
                FormKeys(token: token), subject, form: context.fields(of: path, showing: shown),
                site: context.services.settings.site),
            setting: cookie)
    }

    /// - Parameter username: The person whom the report was about, whom the visitor may want to block.
    private static func thanks(
        _ context: RequestContext, about username: Username?
    ) async throws -> Response {
        var page = PageModel(
            "Thank you", description: "Your report was sent.", path: nil,
            context: context.pageContext)
        page.isIndexed = false
        var person: Person?
        if let visitor = context.visitor, let username,
            username.description != visitor.user.username
        {
            person = try await context.services.store.blockableUser(
                username: username.description, by: visitor.user.id
            ).map { Person($0) }
        }
        return .privatePage(page, .reported(person))
    }
}

extension RequestContext {
    fileprivate func reportable(_ username: Username?) async throws -> Reportable? {
        guard let username else { return nil }
        return try await services.store.reportable(username: username)
    }

    /// The username of the person whom the visitor has just reported; `nil` for a circle, and if no
    /// one is signed in.
    fileprivate func reportedPerson(_ thing: ReportedThing) async throws -> String? {
        guard visitor != nil else { return nil }
        switch thing {
        case .entry(let id):
            return try await services.store.reportable(entry: id)?.username
        case .list(let username), .profile(let username): return username.description
        case .circle: return nil
        }
    }
}
