import Work

/// Waiting requests in the order of their turns: people who are signed in first, and among them, as
/// among the others, one request of each asker after the other.
///
/// This is a value without I/O.
struct AskerQueue<Element: Sendable>: Sendable {
    /// How many turns people who are signed in have before someone who isn't has one, if both wait:
    /// neither may starve.
    static var turnsInARow: Int { 3 }

    private let limit: Int
    private let share: Int
    private var signedIn = FairQueue<IGDBAsker, Element>()
    private var others = FairQueue<IGDBAsker, Element>()
    /// How many turns people who are signed in have had in a row while others waited.
    private var turns = 0

    /// - Parameters:
    ///   - limit: How many requests of people who are signed in may wait, and of others as many.
    ///   - share: How many of each asker.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    var count: Int { signedIn.count + others.count }
    var isEmpty: Bool { count == 0 }

    /// - Returns: Whether there was room.
    mutating func append(_ element: Element, for asker: IGDBAsker) -> Bool {
        func append(to queue: inout FairQueue<IGDBAsker, Element>) -> Bool {
            guard queue.count < limit,
                asker == .unknown || queue.count(of: asker) < share
            else { return false }
            queue.append(element, for: asker)
            return true
        }
        return asker.isSignedIn ? append(to: &signedIn) : append(to: &others)
    }

    mutating func popFirst() -> Element? {
        if others.isEmpty { turns = 0 }
        if !signedIn.isEmpty, turns < Self.turnsInARow {
            turns += 1
            return signedIn.popFirst()
        }
        turns = 0
        return others.popFirst() ?? signedIn.popFirst()
    }

    /// Removes an asker's first request that matches; `nil` if none does.
    mutating func remove(
        of asker: IGDBAsker, where matches: (Element) -> Bool
    ) -> Element? {
        asker.isSignedIn
            ? signedIn.remove(of: asker, where: matches)
            : others.remove(of: asker, where: matches)
    }
}
