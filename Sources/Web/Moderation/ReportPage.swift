import Actions
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page where anyone can report a comment, a list or a profile.
enum ReportPage {
    static let path = "/report"

    static let routes = [
        Route(
            .get, path, .page, takes: .text("entry"), .text("username"), .text("sent"),
            returns: .response, caching: .never, crawling: .disallowed
        ) { context, entry, username, sent in
            if sent != nil { return thanks(context) }
            return try await page(
                context, entry.flatMap(UUID.init(uuidString:)), username.flatMap(Username.init))
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
        return .seeOther("\(path)?sent=yes")
    }

    /// - Parameters:
    ///   - entry: The entry whose comment is reported.
    ///   - username: The owner of the list or profile that is reported otherwise.
    private static func page(
        _ context: RequestContext, _ entry: UUID?, _ username: Username?
    ) async throws -> Response {
        let thing = entry.map { ReportedThing.entry($0) } ?? username.map { .list($0) }
        guard let thing else { throw ModerationError.notReportable }
        // In two steps: the optimizer crashes on a guard that also awaits.
        let reportable = try await context.services.store.reportable(thing)
        guard let found = reportable else { throw ModerationError.notReportable }
        var page = PageModel(
            "Report", description: "Tell the moderators what’s wrong.", path: nil,
            context: context.pageContext)
        page.isIndexed = false
        let (token, cookie) = context.formToken()
        let content = HTML.report(
            FormKeys(token: token), entry: entry?.uuidString.lowercased(),
            username: username?.description ?? "", name: found.displayName, game: found.game,
            comment: found.comment ?? "",
            form: context.fields(
                of: path,
                showing: (entry == nil ? ["kind": ReportedKind.list.rawValue] : [:])
                    .merging(["reason": "", "note": ""]) { $1 }),
            site: context.services.settings.site)
        return .privatePage(page, content, setting: cookie)
    }

    private static func thanks(_ context: RequestContext) -> Response {
        var page = PageModel(
            "Thank you", description: "Your report was sent.", path: nil,
            context: context.pageContext)
        page.isIndexed = false
        return .privatePage(page, .reported())
    }
}
