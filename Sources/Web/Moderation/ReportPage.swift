import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Languages
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
            let circle = circle.map { UUID(uuidString: $0) }
            if sent != nil { return try await thanks(context, about: username, circle ?? nil) }
            if let circle { return try await page(context, circle: circle) }
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
        return .seeOther("\(path)?sent=yes" + (try await context.query(of: report.thing)))
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
                game: found.game ?? GameTitle(""), comment: found.comment ?? ""))
    }

    private static func page(_ context: RequestContext, circle id: UUID?) async throws -> Response {
        guard let circle = try await context.circle(id) else {
            throw ModerationError.notReportable
        }
        return page(
            context,
            .circle(
                id: circle.id.text, name: circle.name, description: circle.description))
    }

    private static func page(_ context: RequestContext, _ subject: ReportSubject) -> Response {
        var page = PageModel(
            .report, description: .aboutReporting, path: nil,
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

    /// - Parameters:
    ///   - username: The person whom the report was about, whom the visitor may want to block.
    ///   - circle: The circle that it was about otherwise.
    private static func thanks(
        _ context: RequestContext, about username: Username?, _ circle: UUID?
    ) async throws -> Response {
        var page = PageModel(
            .thankYou, description: .reportSent, path: nil,
            context: context.pageContext)
        page.isIndexed = false
        let subject =
            if let circle = try await context.circle(circle) {
                NamedLink(name: Words(name: circle.name), href: Path.circle(circle.slug))
            } else {
                try await context.reportable(username).map {
                    NamedLink(name: .listOf($0.displayName), href: Path.list($0.username))
                }
            }
        var person: Person?
        if let visitor = context.visitor, let username,
            username.description != visitor.user.username
        {
            person = try await context.services.store.blockableUser(
                username: username.description, by: visitor.user.id
            ).map { Person($0) }
        }
        return .privatePage(page, .reported(subject, blockable: person))
    }
}

extension RequestContext {
    fileprivate func reportable(_ username: Username?) async throws -> Reportable? {
        guard let username else { return nil }
        return try await services.store.reportable(username: username)
    }

    fileprivate func circle(_ id: UUID?) async throws -> Circle? {
        guard let id else { return nil }
        return try await services.store.circle(id: id, seenBy: visitor?.user.id)?.circle
    }

    /// What tells the next page whom or what a report was about.
    fileprivate func query(of thing: ReportedThing) async throws -> String {
        switch thing {
        case .entry(let id):
            try await services.store.reportable(entry: id).map { "&username=\($0.username)" } ?? ""
        case .list(let username), .profile(let username): "&username=\(username)"
        case .circle(let id): "&circle=\(id.text)"
        }
    }
}
