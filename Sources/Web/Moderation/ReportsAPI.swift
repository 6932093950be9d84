import Actions
import Endpoints
import FaveGames
import Foundation
import HTTP

/// Reports of what breaks the rules.
enum ReportsAPI {
    static let routes = [
        Route(
            .post, "/api/v1/reports",
            .api(
                "report", .moderation, "Report a comment, a list or a profile",
                "With a token or without; fewer reports are accepted without. Reports of the same "
                    + "thing belong to one case, and a second report by the same person isn't "
                    + "counted."),
            takes: .json(NewReport.self), .viewer, returns: .noContent,
            fails: [.tooManyAttempts]
        ) { context, report, viewer in
            do {
                try await context.moderation.report(
                    report.thing, by: viewer.user(), from: context.client.networkName,
                    reason: report.reason, note: report.note)
            } catch ModerationError.notReportable {
                let (noun, member) =
                    if case .entry = report.thing { ("entry", "/entry") } else {
                        ("user", "/username")
                    }
                throw Problem.unknown(noun, at: member, "\(ModerationError.notReportable)")
            }
        }
    ]

    struct NewReport: RequestBody {
        let thing: ReportedThing
        let reason: ReportReason
        let note: ModerationNote

        init?(from reader: inout JSONObjectReader) {
            let kind: ReportedKind? = reader.required(
                "kind", .choice, "A comment on an entry, a list, or a profile.")
            let entry = reader.optional(
                "entry",
                .parsed(.text(format: "uuid", example: Example.entry), "must be an entry's id") {
                    UUID(uuidString: $0)
                }, "The entry's id; required if kind is entry.")
            let username = reader.optional(
                "username", .username, "Whose list or profile; required for those.")
            let reason: ReportReason? = reader.required("reason", .choice, "Why it is reported.")
            let note = reader.optional(
                "note", .note, "Anything else, at most \(ModerationNote.limit) characters.")
            if kind == .entry, entry == nil { reader.note("entry", "is missing") }
            if let kind, kind != .entry, username == nil { reader.note("username", "is missing") }
            guard let kind, let reason else { return nil }
            switch (kind, entry, username) {
            case (.entry, let entry?, _): thing = .entry(entry)
            case (.list, _, let username?): thing = .list(username)
            case (.profile, _, let username?): thing = .profile(username)
            default: return nil
            }
            self.reason = reason
            self.note = note ?? .empty
        }
    }
}

extension BodyMember where Value == ModerationNote {
    static var note: Self {
        .parsed(
            .text(0...ModerationNote.limit, example: "It insults people."), ModerationNote.rule
        ) { ModerationNote($0) }
    }
}
