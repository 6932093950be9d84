import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Storage
import Views

/// The page on which anyone reports a comment, a list or a profile.
enum ReportPage {
    static let path = "/report"

    static let routes = [
        Route(
            .get, path, .page, takes: .text("entry"), .text("user"), .text("sent"),
            answers: .response, caching: .never, crawling: .disallowed
        ) { call, entry, user, sent in
            if sent != nil { return thanks(call) }
            guard let subject = Subject(entry: entry, user: user) else { throw notFound }
            return try await page(call, subject, ReportForm())
        },
        Route(.post, path, .page, answers: .response, handler: send),
    ]

    private static let notFound = Problem.notFound(
        "What you want to report isn’t there. It may have been removed already.")

    /// What the page's address names.
    private enum Subject {
        case entry(UUID)
        case user(Username)

        init?(entry: String?, user: String?) {
            if let id = entry.flatMap(UUID.init(uuidString:)) {
                self = .entry(id)
            } else if let name = user.flatMap(Username.init) {
                self = .user(name)
            } else {
                return nil
            }
        }

        /// - Parameter kind: What about a user is reported.
        func thing(_ kind: ReportedKind) -> ReportedThing {
            switch self {
            case .entry(let id): .entry(id)
            case .user(let name): kind == .profile ? .profile(name) : .list(name)
            }
        }
    }

    @Sendable private static func send(_ call: Call) async throws -> Response {
        let form = try call.form()
        guard let subject = Subject(entry: form["entry"], user: form["user"]) else {
            throw notFound
        }
        var typed = ReportForm()
        typed.kind = form["kind"].flatMap(ReportedKind.init) ?? .list
        typed.reason = form["reason"].flatMap(ReportReason.init)
        typed.note = FormField(form["note"])
        let note = ModerationNote(typed.note.value)
        if typed.reason == nil { typed.reasonError = "Choose what’s wrong." }
        if note == nil {
            typed.note.error = "Use at most \(ModerationNote.limit) characters."
        }
        guard let reason = typed.reason, let note else {
            return try await page(call, subject, typed)
        }
        do {
            let isThere = try await call.services.accounts.report(
                subject.thing(typed.kind), by: call.visitor?.user,
                from: call.client.networkName, reason: reason, note: note)
            guard isThere else { throw notFound }
            return .seeOther("\(path)?sent=yes")
        } catch let error as AccountError {
            return try await page(call, subject, typed, problem: Problem(error))
        }
    }

    private static func page(
        _ call: Call, _ subject: Subject, _ form: ReportForm, problem: Problem? = nil
    ) async throws -> Response {
        let found = try await call.services.store.reportable(subject.thing(form.kind))
        guard let found else { throw notFound }
        var page = PageModel(
            "Report", description: "Tell the moderators what’s wrong.", path: nil,
            context: call.context)
        page.isIndexed = false
        let (token, cookie) = call.formToken()
        var fields: (entry: String?, user: String?) = (nil, nil)
        switch subject {
        case .entry(let id): fields.entry = id.uuidString.lowercased()
        case .user(let name): fields.user = name.description
        }
        let content = HTML.report(
            FormKeys(token: token), problem: problem?.detail, entry: fields.entry,
            user: fields.user, name: found.displayName, game: found.game,
            comment: found.comment ?? "", form: form)
        return .privatePage(
            page, content,
            problem: problem ?? form.anyError.map { Problem(.unprocessableContent, $0) },
            setting: cookie)
    }

    private static func thanks(_ call: Call) -> Response {
        var page = PageModel(
            "Thank you", description: "Your report was sent.", path: nil, context: call.context)
        page.isIndexed = false
        return .privatePage(page, .reported())
    }
}
