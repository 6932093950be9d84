import Sockets

/// Connections that wait for the same thing, the longest wait first. All of them have the same time
/// limit, so the first one's wait expires first. Confined to its loop.
///
/// A list does not retain its connections. A connection that closes removes itself.
struct WaitingList {
    /// How long a connection may wait here; `nil` for as long as it takes.
    let limit: Duration?
    private(set) var count = 0
    private var head: Unmanaged<Connection>?
    private var tail: Unmanaged<Connection>?

    init(limit: Duration?) { self.limit = limit }

    /// The connection that has waited longest.
    var first: Connection? { head?.takeUnretainedValue() }

    /// When the first connection's wait expires.
    var deadline: MonotonicTime? {
        guard let limit, let first else { return nil }
        return first.place.since + limit
    }

    var all: [Connection] {
        var connections: [Connection] = []
        var link = head
        while let connection = link?.takeUnretainedValue() {
            connections.append(connection)
            link = connection.place.next
        }
        return connections
    }

    mutating func append(_ connection: Connection, at now: MonotonicTime) {
        let link = Unmanaged.passUnretained(connection)
        connection.place.since = now
        connection.place.next = nil
        connection.place.previous = tail
        tail?._withUnsafeGuaranteedRef { $0.place.next = link }
        if head == nil { head = link }
        tail = link
        count += 1
    }

    mutating func remove(_ connection: Connection) {
        let place = connection.place
        if let previous = place.previous {
            previous._withUnsafeGuaranteedRef { $0.place.next = place.next }
        } else {
            head = place.next
        }
        if let next = place.next {
            next._withUnsafeGuaranteedRef { $0.place.previous = place.previous }
        } else {
            tail = place.previous
        }
        connection.place.previous = nil
        connection.place.next = nil
        count -= 1
    }
}

/// A connection's place in the `WaitingList` that it is in.
struct WaitingPlace {
    /// What the connection waits for; `nil` if it is in no list.
    fileprivate(set) var wait: Wait?
    fileprivate(set) var since = MonotonicTime(nanoseconds: 0)
    fileprivate var previous: Unmanaged<Connection>?
    fileprivate var next: Unmanaged<Connection>?
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

/// All connections of a loop, grouped by what they wait for. Confined to its loop.
struct WaitingLists {
    private var lists: [WaitingList]

    init(_ configuration: ServerConfiguration) {
        lists = Wait.allCases.map { wait in
            switch wait {
            case .firstRequest, .header: WaitingList(limit: configuration.headerTimeout)
            case .request, .reader: WaitingList(limit: configuration.idleTimeout)
            case .body: WaitingList(limit: configuration.bodyTimeout)
            case .turn: WaitingList(limit: configuration.queueTimeout)
            case .response: WaitingList(limit: nil)
            case .end, .refusedEnd: WaitingList(limit: configuration.lingerTimeout)
            }
        }
    }

    var count: Int { lists.reduce(0) { $0 + $1.count } }

    func count(_ wait: Wait) -> Int { lists[wait.rawValue].count }

    func limit(_ wait: Wait) -> Duration? { lists[wait.rawValue].limit }

    func first(_ wait: Wait) -> Connection? { lists[wait.rawValue].first }

    /// Starts a new wait for a connection, even if it already waits for the same thing.
    mutating func place(_ connection: Connection, in wait: Wait, at now: MonotonicTime) {
        remove(connection)
        connection.place.wait = wait
        lists[wait.rawValue].append(connection, at: now)
    }

    mutating func remove(_ connection: Connection) {
        guard let wait = connection.place.wait else { return }
        connection.place.wait = nil
        lists[wait.rawValue].remove(connection)
    }

    /// The connection that has waited longest for a request.
    var longestIdle: Connection? {
        guard let fresh = first(.firstRequest) else { return first(.request) }
        guard let reused = first(.request) else { return fresh }
        return reused.place.since <= fresh.place.since ? reused : fresh
    }

    /// A connection whose wait has expired, if any.
    func overdue(at now: MonotonicTime) -> Connection? {
        for list in lists {
            if let deadline = list.deadline, deadline <= now { return list.first }
        }
        return nil
    }

    /// When the next wait expires.
    var nextDeadline: MonotonicTime? { lists.compactMap(\.deadline).min() }

    /// All connections that wait for one of these.
    func all(_ waits: [Wait] = Wait.allCases) -> [Connection] {
        waits.flatMap { lists[$0.rawValue].all }
    }
}
