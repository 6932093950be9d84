import Sockets

/// All connections of a loop, grouped by what they wait for: in each list the longest wait first. All
/// connections of a list have the same time limit, so the first one's wait expires first. Confined to its
/// loop.
///
/// The lists do not retain their connections. A connection that closes removes itself.
struct WaitingLists {
    private struct List {
        /// How long a connection may wait here; `nil` for as long as it takes.
        let limit: Duration?
        var count = 0
        var first: Int?
        var last: Int?
    }

    private struct Entry {
        /// `nil` if the entry is free.
        unowned var connection: Connection?
        var since: MonotonicTime
        var previous: Int?
        var next: Int?
    }

    private var lists: [List]
    /// The connections of all lists. A list links its entries by their indices.
    private var entries: [Entry] = []
    private var freeEntries: [Int] = []

    init(_ configuration: ServerConfiguration) {
        lists = Wait.allCases.map { wait in
            switch wait {
            case .firstRequest, .header: List(limit: configuration.headerTimeout)
            case .request, .reader: List(limit: configuration.idleTimeout)
            case .body: List(limit: configuration.bodyTimeout)
            case .turn: List(limit: configuration.queueTimeout)
            case .response: List(limit: nil)
            case .end, .refusedEnd: List(limit: configuration.lingerTimeout)
            }
        }
    }

    var count: Int { entries.count - freeEntries.count }

    func count(_ wait: Wait) -> Int { lists[wait.rawValue].count }

    func limit(_ wait: Wait) -> Duration? { lists[wait.rawValue].limit }

    /// The connection that has waited longest.
    func first(_ wait: Wait) -> Connection? {
        lists[wait.rawValue].first.flatMap { entries[$0].connection }
    }

    /// Starts a new wait for a connection, even if it already waits for the same thing.
    mutating func place(_ connection: Connection, in wait: Wait, at now: MonotonicTime) {
        let index: Int
        if let place = connection.place {
            unlink(place)
            index = place.entry
        } else {
            index = freeEntries.popLast() ?? entries.count
            let entry = Entry(connection: connection, since: now)
            if index < entries.count { entries[index] = entry } else { entries.append(entry) }
        }
        connection.place = WaitingPlace(wait: wait, entry: index)
        let last = lists[wait.rawValue].last
        entries[index].since = now
        entries[index].previous = last
        entries[index].next = nil
        if let last { entries[last].next = index } else { lists[wait.rawValue].first = index }
        lists[wait.rawValue].last = index
        lists[wait.rawValue].count += 1
    }

    mutating func remove(_ connection: Connection) {
        guard let place = connection.place else { return }
        connection.place = nil
        unlink(place)
        entries[place.entry].connection = nil
        freeEntries.append(place.entry)
    }

    private mutating func unlink(_ place: WaitingPlace) {
        let (list, entry) = (place.wait.rawValue, place.entry)
        let (previous, next) = (entries[entry].previous, entries[entry].next)
        if let previous { entries[previous].next = next } else { lists[list].first = next }
        if let next { entries[next].previous = previous } else { lists[list].last = previous }
        lists[list].count -= 1
    }

    /// The connection that has waited longest for a request.
    var longestIdle: Connection? {
        guard let fresh = lists[Wait.firstRequest.rawValue].first else { return first(.request) }
        guard let reused = lists[Wait.request.rawValue].first else { return first(.firstRequest) }
        return first(entries[reused].since <= entries[fresh].since ? .request : .firstRequest)
    }

    /// A connection whose wait has expired, if any.
    func overdue(at now: MonotonicTime) -> Connection? {
        Wait.allCases.first { wait in deadline(wait).map { $0 <= now } ?? false }.flatMap(first)
    }

    /// When the next wait expires.
    var nextDeadline: MonotonicTime? { Wait.allCases.compactMap(deadline).min() }

    /// When the first connection's wait expires.
    private func deadline(_ wait: Wait) -> MonotonicTime? {
        let list = lists[wait.rawValue]
        guard let limit = list.limit, let first = list.first else { return nil }
        return entries[first].since + limit
    }

    /// All connections that wait for one of these.
    func all(_ waits: [Wait] = Wait.allCases) -> [Connection] {
        waits.flatMap { wait in
            sequence(first: lists[wait.rawValue].first) { $0.map { entries[$0].next } }
                .compactMap { $0.flatMap { entries[$0].connection } }
        }
    }
}

/// A connection's place in `WaitingLists`.
struct WaitingPlace {
    /// What the connection waits for.
    let wait: Wait
    fileprivate let entry: Int
}

/// The events that a connection can wait for.
enum Wait: Int, CaseIterable {
    /// A first request.
    case firstRequest
    /// Another request, after at least one response.
    case request
    /// The rest of a header.
    case header
    /// The rest of a body.
    case body
    /// Its turn: the loop is already serving as many requests as it may at once.
    case turn
    /// The response to its own request.
    case response
    /// The client to read pending output.
    case reader
    /// The client to close its side, after the last response.
    case end
    /// The client to read that it is refused, and to close its side.
    case refusedEnd
}
