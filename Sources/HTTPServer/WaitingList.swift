import Sockets

/// Connections that wait for the same thing, in the order in which they began to wait: since all have
/// the same time for it, the first one's is over first. Confined to its loop.
///
/// A list owns nobody: a connection that closes takes itself off.
struct WaitingList {
    /// How long a connection may wait here; `nil` for as long as it takes.
    let limit: Duration?
    private(set) var count = 0
    private var head: Unmanaged<Connection>?
    private var tail: Unmanaged<Connection>?

    init(limit: Duration?) { self.limit = limit }

    /// Who has waited longest.
    var first: Connection? { head?.takeUnretainedValue() }

    /// When the first one's time is over.
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

/// Where a connection is in the `WaitingList` that it is in.
struct WaitingPlace {
    /// What it waits for; `nil` in no list.
    fileprivate(set) var wait: Wait?
    fileprivate(set) var since = MonotonicTime(nanoseconds: 0)
    fileprivate var previous: Unmanaged<Connection>?
    fileprivate var next: Unmanaged<Connection>?
}

/// What a connection can wait for.
enum Wait: Int, CaseIterable {
    /// A first request.
    case firstRequest
    /// Another request.
    case request
    /// The rest of a header, and of a body.
    case header
    case body
    /// That the loop answers fewer requests than it does at once, and then our own answer.
    case turn
    case answer
    /// That the client reads what was written.
    case reader
    /// After the last answer, the client's end.
    case end
}

/// All connections of a loop, by what they wait for. Confined to its loop.
struct WaitingLists {
    private var lists: [WaitingList]

    init(_ configuration: ServerConfiguration) {
        lists = Wait.allCases.map { wait in
            switch wait {
            case .firstRequest, .header: WaitingList(limit: configuration.headerTimeout)
            case .request, .reader: WaitingList(limit: configuration.idleTimeout)
            case .body: WaitingList(limit: configuration.bodyTimeout)
            case .turn: WaitingList(limit: configuration.queueTimeout)
            case .answer: WaitingList(limit: nil)
            case .end: WaitingList(limit: configuration.lingerTimeout)
            }
        }
    }

    var count: Int { lists.reduce(0) { $0 + $1.count } }

    func limit(_ wait: Wait) -> Duration? { lists[wait.rawValue].limit }

    func first(_ wait: Wait) -> Connection? { lists[wait.rawValue].first }

    /// Lets a connection wait for something from now on, also if it has waited for it already.
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

    /// Of those that wait for a request the one that has waited longest.
    var longestIdle: Connection? {
        guard let fresh = first(.firstRequest) else { return first(.request) }
        guard let kept = first(.request) else { return fresh }
        return kept.place.since <= fresh.place.since ? kept : fresh
    }

    /// Whose time is over, if anyone's is.
    func overdue(at now: MonotonicTime) -> Connection? {
        for list in lists {
            if let deadline = list.deadline, deadline <= now { return list.first }
        }
        return nil
    }

    /// When the next wait ends.
    var nextDeadline: MonotonicTime? { lists.compactMap(\.deadline).min() }

    /// Everyone who waits for one of these.
    func all(_ waits: [Wait] = Wait.allCases) -> [Connection] {
        waits.flatMap { lists[$0.rawValue].all }
    }
}
