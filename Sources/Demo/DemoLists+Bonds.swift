/// The users that a made-up person follows, and the comments that they give hearts to, by user
/// number.
package struct DemoBonds: Sendable, Equatable {
    package let follows: [Int]
    package let hearts: [Heart]

    /// A heart for a comment.
    package struct Heart: Sendable, Equatable {
        package let user: Int
        /// From 1. The entry may have no comment, or the list may be shorter.
        package let position: Int
    }
}

extension DemoLists {
    /// Only the first users know each other, however many users there are.
    package static let acquainted = 2_000

    /// The bonds of the user with this number among the first users. A few of these are popular.
    ///
    /// - Parameter count: How many users there are.
    package func bonds(of index: Int, among count: Int) -> DemoBonds {
        let circle = min(count, Self.acquainted)
        guard index < circle, circle > 1 else { return DemoBonds(follows: [], hearts: []) }
        // Bonds have a random stream of their own, so adding them has not changed the lists.
        var random = SeededGenerator(seed: seed ^ 0x626f_6e64, stream: UInt64(index))
        func someone(using random: inout SeededGenerator) -> Int {
            let whim = random.unit()
            return Int(whim * whim * Double(circle))
        }
        let follows = (0..<2 + Int(random.unit() * 7)).map { _ in someone(using: &random) }
        let hearts = (0..<4 + Int(random.unit() * 9)).map { _ in
            DemoBonds.Heart(
                user: someone(using: &random), position: 1 + Int(random.unit() * 5))
        }
        return DemoBonds(
            follows: follows.filter { $0 != index }, hearts: hearts.filter { $0.user != index })
    }
}
