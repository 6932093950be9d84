import FaveGames
import Foundation
import HTTP
import Languages

/// A reported thing, as moderators see it.
package struct CaseCard: Sendable {
    let id: Int
    let kind: ReportedKind
    let username: String
    let name: String
    let bio: String
    /// The text that was reported first.
    let reported: String
    /// The circle as it is now; `nil` if it is gone, and for other kinds.
    let circle: CircleNow?
    /// The comment as it is now; `nil` if its entry is gone.
    let comment: String?
    let game: String?
    let openedAt: Date
    let count: Int
    let reasons: [ReportReason]
    let notes: [String]
    /// Takes the decision.
    let action: String
    package let form: FormFields

    package struct CircleNow: Sendable {
        let name: String
        let description: String
        /// Its page; `nil` if only its members see that.
        let href: String?

        package init(name: String, description: String, href: String?) {
            self.name = name
            self.description = description
            self.href = href
        }
    }

    package init(
        id: Int, kind: ReportedKind, username: String, name: String, bio: String,
        reported: String, circle: CircleNow?, comment: String?, game: String?, openedAt: Date,
        count: Int,
        reasons: [ReportReason],
        notes: [String], action: String, form: FormFields
    ) {
        self.id = id
        self.kind = kind
        self.username = username
        self.name = name
        self.bio = bio
        self.reported = reported
        self.circle = circle
        self.comment = comment
        self.game = game
        self.openedAt = openedAt
        self.count = count
        self.reasons = reasons
        self.notes = notes
        self.action = action
        self.form = form
    }

    /// How a comment or a profile has changed since it was reported; `nil` if it hasn't.
    var change: Words? {
        let now = kind == .profile ? profile : comment
        guard kind == .entry || kind == .profile, now != reported else { return nil }
        guard let now else { return .entryGone }
        return now.isEmpty ? .reasonGone : .saysNow(now)
    }

    /// The profile as it is now, in the words of a report.
    private var profile: String { "@\(username), \(name)" + (bio.isEmpty ? "" : ": \(bio)") }

    var summary: Words { .facts([.reports(count, since: openedAt)] + reasons.map(\.words)) }
}
