/// A circle of demo people.
package struct DemoCircle: Sendable, Equatable {
    package let name: String
    package let description: String
    package let isPublic: Bool
    /// The members' numbers among the users of the seed, the owner's first.
    package let members: [Int]
}

extension DemoCircle {
    /// The number of users among whom the members are.
    package static let acquainted = 400
    /// Each member is the one of this many people who shares the most games with the members so far.
    private static let choice = 20

    /// The circles of the first users of a seed: two public ones, and one for its members only. Friends
    /// have games in common.
    ///
    /// - Parameter lists: The games on the lists of the first users: of at most `acquainted`. Fewer than
    ///   three make no circles.
    package static func circles(seed: UInt64, lists: [Set<Int>]) -> [DemoCircle] {
        guard lists.count >= 3 else { return [] }
        var random = SeededGenerator(seed: seed ^ 0x6369_7263, stream: 0)
        return [
            (
                "The Tuesday Club",
                "We meet on Tuesdays, play something old and argue about it until Wednesday.",
                true, 24
            ),
            ("Couch co-op", "Two controllers, one sofa.", true, 12),
            ("Family and friends", "From Grandma’s Tetris to everything since.", false, 8),
        ].map { name, description, isPublic, size in
            var left = Array(lists.indices)
            var loved: Set<Int> = []
            let members = (0..<min(size, left.count)).map { place in
                let places = (0..<(place == 0 ? 1 : choice)).map { _ in random.below(left.count) }
                let scores = places.map { lists[left[$0]].intersection(loved).count }
                let best = scores.firstIndex(of: scores.max() ?? 0) ?? 0
                let member = left.remove(at: places[best])
                loved.formUnion(lists[member])
                return member
            }
            return DemoCircle(
                name: name, description: description, isPublic: isPublic, members: members)
        }
    }
}
