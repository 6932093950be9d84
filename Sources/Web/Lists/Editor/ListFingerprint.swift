import Crypto
import FaveGames
import Languages
import Views

/// The state of a list when its editing page was opened, short enough for a field of the form. It
/// tells whether the list has changed since, and how.
struct ListFingerprint: Equatable {
    private struct Mark: Equatable {
        let pick: Pick
        /// A digest of the comment, the rating and the tags.
        let digest: String
    }

    private let marks: [Mark]

    init(_ list: FaveList) {
        marks = list.entries.map { entry in
            let said =
                [entry.comment, entry.rating.map { String($0.value) } ?? ""] + entry.tags
            let digest = SHA256.hash(data: Array(said.joined(separator: "\0").utf8))
            return Mark(
                pick: Pick(game: entry.game.id, platform: entry.platform.id),
                digest: digest.prefix(6).map { String($0, radix: 16) }.joined(separator: "."))
        }
    }

    /// Reads a fingerprint that `text` wrote.
    init?(_ text: String) {
        guard text.utf8.count <= 1000 else { return nil }
        var marks: [Mark] = []
        for part in text.split(separator: "_") {
            let fields = part.split(separator: "-")
            guard fields.count == 3, let game = GameID.parse(String(fields[0])),
                let platform = GameID.parse(String(fields[1])), marks.count < FaveList.limit
            else { return nil }
            marks.append(
                Mark(pick: Pick(game: game, platform: platform), digest: String(fields[2])))
        }
        self.marks = marks
    }

    var text: String {
        marks.map { "\($0.pick.game)-\($0.pick.platform)-\($0.digest)" }.joined(separator: "_")
    }

    /// How the list has changed since, in sentences.
    ///
    /// - Parameter names: The names of games by id, as far as they are known.
    func changes(to list: FaveList, names: [Int: GameTitle]) -> [Words] {
        let now = ListFingerprint(list).marks
        var changes: [Words] = []
        let before = Set(marks.map(\.pick))
        for mark in marks where !now.contains(where: { $0.pick == mark.pick }) {
            changes.append(names[mark.pick.game].map { .gameWasRemoved($0) } ?? .aGameWasRemoved)
        }
        for (entry, mark) in zip(list.entries, now) {
            let (game, platform) = (entry.game.name, entry.platform.name)
            if !before.contains(mark.pick) {
                changes.append(.gameWasAdded(game, on: platform, as: entry.position))
            } else if !marks.contains(mark) {
                changes.append(.reasonChanged(for: game, on: platform))
            }
        }
        let common = marks.map(\.pick).filter { pick in now.contains { $0.pick == pick } }
        let commonNow = now.map(\.pick).filter { before.contains($0) }
        if common != commonNow { changes.append(.orderChanged) }
        return changes
    }
}
