import FaveGames
import Foundation

/// A reported thing, as moderators see it.
package struct CaseCard: Sendable {
    let id: Int
    let kind: ReportedKind
    let username: String
    let name: String
    let bio: String
    let comment: String?
    let game: String?
    let openedAt: Date
    let count: Int
    let reasons: [ReportReason]
    let notes: [String]
    /// Takes the decision.
    let action: String

    package init(
        id: Int, kind: ReportedKind, username: String, name: String, bio: String,
        comment: String?, game: String?, openedAt: Date, count: Int, reasons: [ReportReason],
        notes: [String], action: String
    ) {
        self.id = id
        self.kind = kind
        self.username = username
        self.name = name
        self.bio = bio
        self.comment = comment
        self.game = game
        self.openedAt = openedAt
        self.count = count
        self.reasons = reasons
        self.notes = notes
        self.action = action
    }

    var summary: String {
        "\(count.grouped) \(count == 1 ? "report" : "reports") since \(openedAt.dayInWords): "
            + reasons.map { $0.text.lowercased() }.joined(separator: "; ")
    }
}
