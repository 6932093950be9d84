import Sockets

/// Starts requests at the pace that IGDB allows: a limited number per second, and a limited number
/// open at once. `RequesterQueue` decides the order.
///
/// The window slides: a request may start when fewer than `rate` requests have arrived within the
/// last second. So no interval of one second has more arrivals than that. The pacer does not know
/// when a request arrived, only that it had arrived by the time of its response. A request that
/// must first open a connection arrives late, and the requests behind it, which find the connection
/// open, must not catch up with it.
actor Pacer {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Result<Void, IGDBError>, Never>
    }

    private let loop: EventLoop
    private let rate: Int
    private let maximumOpen: Int
    private let period: Duration
    /// The latest time when each request can have arrived. It is an assumption at first; when the
    /// request ends earlier than assumed, it becomes the time of that end.
    private var arrivals: [(id: Int, time: MonotonicTime)] = []
    private var open = 0
    private var waiters: RequesterQueue<Waiter>
    /// Whether a request waits for its turn.
    var hasWaiters: Bool { !waiters.isEmpty }
    /// How many requests wait for their turns.
    var waiterCount: Int { waiters.count }
    private var nextID = 0
    private var timer: LoopTimer?
    private var pausedUntil: MonotonicTime?

    /// A request is assumed to have arrived this long after its start, even if its response takes
    /// longer.
    private static let longestWay = Duration.milliseconds(250)

    /// - Parameters:
    ///   - period: The window for the arrival of `rate` requests. It is a little more than a
    ///     second, because clocks and networks are not exact and one request too many costs
    ///     everyone.
    ///   - queueLimit: How many requests of people who are signed in may wait, and of others as
    ///     many.
    ///   - share: How many requests of each requester may wait: what IGDB serves in two seconds.
    ///     Responses to further ones would be too late.
    init(
        on loop: EventLoop, rate: Int = 4, period: Duration = .milliseconds(1050),
        maximumOpen: Int = 8, queueLimit: Int = 200, share: Int = 8
    ) {
        self.loop = loop
        self.rate = rate
        self.period = period
        self.maximumOpen = maximumOpen
        waiters = RequesterQueue(limit: queueLimit, share: share)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.serialExecutor.asUnownedSerialExecutor()
    }

    /// Waits for a turn, runs `body`, and gives the turn back. Cancelling the task while it waits
    /// gives up its place in the queue.
    ///
    /// - Throws: `queueFull` if the queue or the requester's share of it is full, `cancelled`, or what
    ///   `body` throws.
    nonisolated(nonsending) func run<Result>(
        for requester: IGDBRequester,
        _ body: () async throws(IGDBError) -> Result
    ) async throws(IGDBError) -> Result {
        let id = try await wait(requester)
        do throws(IGDBError) {
            let result = try await body()
            await end(id)
            return result
        } catch {
            await end(id)
            throw error
        }
    }

    private func end(_ id: Int) {
        open -= 1
        arrived(id)
        advance()
    }

    /// Starts no request for a while, because IGDB said that we ask too often.
    func pause(for duration: Duration) {
        let end = loop.clock() + duration
        pausedUntil = pausedUntil.map { max($0, end) } ?? end
        advance()
    }

    private func wait(_ requester: IGDBRequester) async throws(IGDBError) -> Int {
        nextID += 1
        let id = nextID
        let turn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                func refuse(_ code: IGDBError.Code) {
                    continuation.resume(returning: .failure(IGDBError(code)))
                }
                guard !Task.isCancelled else { return refuse(.cancelled) }
                // Checked here, since others may have come before the task suspends.
                let waiter = Waiter(id: id, continuation: continuation)
                guard waiters.append(waiter, for: requester) else { return refuse(.queueFull) }
                advance()
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.giveUp(id, requester) } }
        }
        try turn.get()
        return id
    }

    private func arrived(_ id: Int) {
        guard let index = arrivals.firstIndex(where: { $0.id == id }) else { return }
        arrivals[index].time = min(arrivals[index].time, loop.clock())
    }

    private func giveUp(_ id: Int, _ requester: IGDBRequester) {
        let waiter = waiters.remove(of: requester) { $0.id == id }
        waiter?.continuation.resume(returning: .failure(IGDBError(.cancelled)))
    }

    /// Starts all requests whose turn it is, and sets the timer for the next one.
    private func advance() {
        let now = loop.clock()
        timer?.cancel()
        timer = nil
        arrivals.removeAll { now - $0.time >= period }
        while !waiters.isEmpty, open < maximumOpen {
            let next: MonotonicTime? =
                if let pausedUntil, pausedUntil > now {
                    pausedUntil
                } else if arrivals.count >= rate {
                    arrivals.map(\.time).sorted()[arrivals.count - rate] + period
                } else {
                    nil
                }
            if let next {
                timer = loop.schedule(after: next - now) { [weak self] in
                    self?.assumeIsolated { $0.advance() }
                }
                return
            }
            guard let waiter = waiters.popFirst() else { return }
            arrivals.append((waiter.id, now + Self.longestWay))
            open += 1
            waiter.continuation.resume(returning: .success(()))
        }
    }
}
