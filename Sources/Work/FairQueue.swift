import DequeModule

/// Waiting elements of several clients, which take turns: each turn is for the oldest element of
/// the client whose last turn was longest ago. So no client waits for all the elements of another.
///
/// This is a value without I/O.
public struct FairQueue<Client: Hashable & Sendable, Element> {
    /// The clients with waiting elements, in the order of their turns.
    private var turns: Deque<Client> = []
    private var waiting: [Client: Deque<Element>] = [:]
    /// How many elements wait.
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// How many elements of a client wait.
    public func count(of client: Client) -> Int { waiting[client]?.count ?? 0 }

    public mutating func append(_ element: Element, for client: Client) {
        if waiting[client] == nil { turns.append(client) }
        waiting[client, default: []].append(element)
        count += 1
    }

    /// Removes the element whose turn it is; `nil` if nothing waits.
    public mutating func popFirst() -> Element? {
        guard let client = turns.popFirst(), let element = waiting[client]?.popFirst() else {
            return nil
        }
        count -= 1
        if waiting[client]?.isEmpty == true {
            waiting[client] = nil
        } else {
            turns.append(client)
        }
        return element
    }

    /// Removes a client's first element that matches; `nil` if none does.
    public mutating func remove(
        of client: Client, where matches: (Element) -> Bool
    ) -> Element? {
        guard let place = waiting[client]?.firstIndex(where: matches) else { return nil }
        count -= 1
        let element = waiting[client]?.remove(at: place)
        if waiting[client]?.isEmpty == true {
            waiting[client] = nil
            turns.removeAll { $0 == client }
        }
        return element
    }
}

extension FairQueue: Sendable where Element: Sendable {}
