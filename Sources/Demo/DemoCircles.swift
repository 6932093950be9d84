/// A circle of demo people.
package struct DemoCircle: Sendable, Equatable {
    package let name: String
    package let description: String
    package let isPublic: Bool
    /// The members' numbers among the users of the seed, the owner's first.
    package let members: [Int]
}

extension DemoCircle {
    /// The circles of the first users of a seed: two public ones, and one for its members only.
    ///
    /// - Parameter users: How many users there are. Fewer than three make no circles.
    package static func circles(seed: UInt64, users: Int) -> [DemoCircle] {
        guard users >= 3 else { return [] }
        var random = SeededGenerator(seed: seed ^ 0x6369_7263, stream: 0)
        return [
            (
                "The Tuesday Club",
                "We meet on Tuesdays, play something old and argue about it until Wednesday.",
                true, 24
            ),
            ("Couch co-op", "Two controllers, one sofa.", true, 12),
            ("Family and friends", "", false, 8),
        ].map { name, description, isPublic, size in
            var left = Array(0..<min(users, 60))
            let members = (0..<min(size, left.count)).map { _ in
                left.remove(at: random.below(left.count))
            }
            return DemoCircle(
                name: name, description: description, isPublic: isPublic, members: members)
        }
    }
}
