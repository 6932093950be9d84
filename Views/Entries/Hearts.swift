import Encodings
import FaveGames
import Foundation
import Languages

/// The hearts of the comments on a page, as someone sees them.
package struct Hearts: Sendable {
    /// Someone who is signed in, and can give hearts.
    private struct Giver {
        let username: String
        let keys: FormKeys
        /// The entries whose comments have their heart.
        let given: Set<UUID>
    }

    private let giver: Giver?
    private let counts: [UUID: Int]

    /// For someone who isn't signed in, and sees how many there are.
    ///
    /// - Parameter counts: By entries, for a list. Other pages have them with each comment.
    package init(counts: [UUID: Int] = [:]) {
        giver = nil
        self.counts = counts
    }

    /// - Parameters:
    ///   - counts: As above.
    ///   - username: The giver's; their own comments have no button.
    ///   - keys: The form's keys, with the page to return to.
    ///   - given: The entries whose comments have the giver's heart.
    package init(
        counts: [UUID: Int] = [:], givenBy username: String, keys: FormKeys, given: Set<UUID>
    ) {
        self.counts = counts
        giver = Giver(username: username, keys: keys, given: given)
    }

    /// The hearts of a comment in a list of comments.
    func mark(_ inclusion: Inclusion) -> HeartMark {
        mark(
            inclusion.id, of: inclusion.username, subject: Words(name: inclusion.displayName),
            hasComment: !inclusion.comment.isEmpty, count: inclusion.hearts,
            updatedAt: inclusion.updatedAt)
    }

    /// The hearts of a comment on a list.
    func mark(_ entry: Entry, of owner: User) -> HeartMark {
        mark(
            entry.id, of: owner.username, subject: Words(entry.game.name),
            hasComment: !entry.comment.isEmpty && owner.isPublic,
            count: counts[entry.id] ?? 0, updatedAt: entry.updatedAt)
    }

    private func mark(
        _ id: UUID, of author: String, subject: Words, hasComment: Bool, count: Int,
        updatedAt: Date
    ) -> HeartMark {
        guard hasComment else { return HeartMark(entry: id, subject: subject, count: 0, form: nil) }
        let form = giver.flatMap { giver in
            giver.username == author
                ? nil
                : HeartMark.Form(
                    action: Path.heart(id), keys: giver.keys,
                    seen: Int((updatedAt.timeIntervalSince1970 * 1_000_000).rounded()),
                    isGiven: giver.given.contains(id))
        }
        return HeartMark(entry: id, subject: subject, count: count, form: form)
    }
}

/// The hearts of one comment.
struct HeartMark: Sendable {
    /// The button that gives a heart, or takes it back.
    struct Form: Sendable {
        let action: String
        let keys: FormKeys
        /// When the entry last changed, in microseconds since 1970. A heart belongs to the version
        /// that its giver saw.
        let seen: Int
        let isGiven: Bool
    }

    let entry: UUID
    /// The comment's author, or the game that it is about.
    let subject: Words
    let count: Int
    /// `nil` for someone who can't give a heart.
    let form: Form?

    /// Where the browser returns to.
    var id: String { Self.id(entry) }

    static func id(_ entry: UUID) -> String {
        "heart-" + entry.text
    }
}

extension Path {
    /// The button of an entry's hearts on a page.
    package static func heartMark(_ entry: UUID) -> String { "#" + HeartMark.id(entry) }
}
