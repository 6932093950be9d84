import Work

/// Waiting requests in the order of their turns: people who are signed in first, and among them, as
/// among the others, one request of each requester after the other.
///
/// This is a value without I/O.
struct RequesterQueue<Element: Sendable>: Sendable {
    /// How many turns in a row go to signed-in people before a signed-out person gets a turn, if
    /// both wait: neither may starve.
    static var turnsInARow: Int { 3 }

    private let limit: Int
    private let share: Int
    private var signedIn = FairQueue<IGDBRequester, Element>()
    private var others = FairQueue<IGDBRequester, Element>()
    /// How many turns people who are signed in have had in a row while others waited.
    private var turns = 0

    /// - Parameters:
    ///   - limit: How many requests of people who are signed in may wait, and of others as many.
    ///   - share: How many of each requester.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    var count: Int { signedIn.count + others.count }
    var isEmpty: Bool { count == 0 }

    /// - Returns: Whether there was room.
    mutating func append(_ element: Element, for requester: IGDBRequester) -> Bool {
        func append(to queue: inout FairQueue<IGDBRequester, Element>) -> Bool {
            guard queue.count < limit,
                requester == .unknown || queue.count(of: requester) < share
            else { return false }
            queue.append(element, for: requester)
            return true
        }
        return requester.isSignedIn ? append(to: &signedIn) : append(to: &others)
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

    /// Removes a requester's first request that matches; `nil` if none does.
    mutating func remove(
        of requester: IGDBRequester, where matches: (Element) -> Bool
    ) -> Element? {
        requester.isSignedIn
            ? signedIn.remove(of: requester, where: matches)
            : others.remove(of: requester, where: matches)
    }
}
