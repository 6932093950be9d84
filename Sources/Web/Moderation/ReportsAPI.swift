import Actions
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Languages
import Views

/// Reports of what breaks the rules.
enum ReportsAPI {
    static let routes = [
        Route(
            .post, "/api/v1/reports",
            .api(
                "report", .moderation, "Report a comment, a list, a profile or a circle",
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
                let (kind, member): (FaultKind, String) =
                    switch report.thing {
                    case .entry: (.unknownEntry, "/entry")
                    case .circle: (.unknownCircle, "/circle")
                    case .list, .profile: (.unknownUser, "/username")
                    }
                throw Problem.unknown(kind, at: member, ModerationError.notReportable.words)
            }
        }
    ]

    struct NewReport: RequestBody {
        let thing: ReportedThing
        let reason: ReportReason
        let note: ModerationNote

        init?(from reader: inout JSONObjectReader) {
            let kind: ReportedKind? = reader.required(
                "kind", .choice, "A comment on an entry, a list, a profile, or a circle.")
            let entry = reader.optional(
                "entry", .id(of: "an entry", example: Example.entry),
                "The entry's id; required if kind is entry.")
            let circle = reader.optional(
                "circle", .id(of: "a circle", example: Example.circle),
                "The circle's id; required if kind is circle. The user must be able to see the "
                    + "circle.")
            let username = reader.optional(
                "username", .username, "Whose list or profile; required for those.")
            let reason: ReportReason? = reader.required("reason", .choice, "Why it is reported.")
            let note = reader.optional(
                "note", .note, "Anything else, at most \(ModerationNote.limit) characters.")
            if kind == .entry, entry == nil {
                reader.note("entry", .missing, .isMissing)
            }
            if kind == .circle, circle == nil {
                reader.note("circle", .missing, .isMissing)
            }
            if kind == .list || kind == .profile, username == nil {
                reader.note("username", .missing, .isMissing)
            }
            guard let kind, let reason else { return nil }
            let reported: ReportedThing? =
                switch kind {
                case .entry: entry.map { .entry($0) }
                case .list: username.map { .list($0) }
                case .profile: username.map { .profile($0) }
                case .circle: circle.map { .circle($0) }
                }
            guard let reported else { return nil }
            thing = reported
            self.reason = reason
            self.note = note ?? .empty
        }
    }
}

extension BodyMember where Value == UUID {
    fileprivate static func id(of thing: String, example: String) -> Self {
        .parsed(.text(format: "uuid", example: example), .english("This must be \(thing)'s id.")) {
            UUID(uuidString: $0)
        }
    }
}

extension BodyMember where Value == ModerationNote {
    static var note: Self {
        .parsed(
            .text(0...ModerationNote.limit, example: "It insults people."),
            .mustHaveAtMost(ModerationNote.limit)
        ) { ModerationNote($0) }
    }
}
