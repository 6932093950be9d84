import Sockets
import Synchronization
public import Work

/// Draws cards on a pool of threads, away from the event loops. All loops share it.
///
/// Drawing one card takes as long as hundreds of requests. Callers that ask for a card while it is
/// pending share one drawing, and the most recently requested cards are cached.
public final class CardRenderer: Sendable {
    /// A card that was drawn.
    public struct Drawn: Sendable {
        /// A picture in the format's encoding.
        public let data: [UInt8]
        /// Whether all covers were available. If not, the card will be drawn again in a while, and
        /// this picture must not be cached.
        public let isComplete: Bool
        fileprivate let drawnAt = MonotonicTime.read()

        /// A card without all its covers is good for a minute.
        fileprivate var isCurrent: Bool {
            isComplete || MonotonicTime.read() - drawnAt < .seconds(60)
        }
    }

    private typealias Drawing = Result<Drawn, any Error>

    private let pool: WorkerPool
    private let covers: CoverStore?
    private let cache: LRUCache<String, Drawn>
    private let drawings = SharedWorks<String, Drawing>()
    private let drawn = Atomic(0)
    /// How many cards each client waits for that are not drawn yet.
    private let pending = Mutex<[String: Int]>([:])
    private let share: Int

    /// The client waits for as many cards as it may.
    public struct ShareError: Error, Hashable, Sendable {}

    /// - Parameters:
    ///   - covers: Where covers come from; `nil` to draw placeholders.
    ///   - cacheCount: How many cards are cached.
    ///   - cacheBytes: How many bytes all cached cards together may take.
    ///   - share: How many cards one client may wait for. A page that people share shows a few, and several
    ///     people can look at such pages from one address.
    public init(
        on pool: WorkerPool, covers: CoverStore? = nil, cacheCount: Int = 200,
        cacheBytes: Int = 32 << 20, share: Int = 32
    ) {
        self.pool = pool
        self.covers = covers
        self.share = share
        cache = LRUCache(countLimit: cacheCount, costLimit: cacheBytes) { $0.data.count }
    }

    /// How many cards were drawn.
    var drawnCount: Int { drawn.load(ordering: .relaxed) }

    /// The card, if it is cached and still current.
    public func recent(_ card: ShareCard) -> Drawn? {
        guard let drawn = cache[card.digest], drawn.isCurrent else { return nil }
        return drawn
    }

    /// Draws the card, unless it is cached and still current.
    ///
    /// If all callers give up before the card is drawn, it is not drawn.
    ///
    /// - Parameter client: The client whose share and whose turn the drawing uses. If it is empty,
    ///   the client is unknown, and has no share of its own.
    /// - Throws: `ShareError` if the client waits for too many cards, `WorkerPool.BusyError` if
    ///   everyone together does, `CancellationError` as soon as the task is cancelled, and
    ///   `CardError`.
    public func draw(_ card: ShareCard, for client: String = "") async throws -> Drawn {
        if let drawn = recent(card) {
            try Task.checkCancellation()
            return drawn
        }
        try begin(client)
        defer { end(client) }
        let digest = card.digest
        while true {
            try Task.checkCancellation()
            if let drawn = recent(card) { return drawn }
            let drawing = drawings.join(digest) { [self] in await draw(card, digest, client) }
            guard case .finished(let result) = await drawing.wait() else {
                throw CancellationError()
            }
            do {
                return try result.get()
            } catch is CancellationError {
                // Every earlier caller has just given up, which cancelled this drawing.
                continue
            }
        }
    }

    private func begin(_ client: String) throws(ShareError) {
        guard !client.isEmpty else { return }
        let isAllowed = pending.withLock { pending in
            guard pending[client, default: 0] < share else { return false }
            pending[client, default: 0] += 1
            return true
        }
        if !isAllowed { throw ShareError() }
    }

    private func end(_ client: String) {
        guard !client.isEmpty else { return }
        pending.withLock { pending in
            guard let count = pending[client] else { return }
            pending[client] = count > 1 ? count - 1 : nil
        }
    }

    private func draw(
        _ card: ShareCard, _ digest: String, _ client: String
    ) async -> Drawing {
        do {
            let ids = card.coverIDs
            let found = await covers?.covers(ids) ?? [:]
            let data = try await pool.run(.card, for: client, isCancellable: true) {
                try card.data(covers: found)
            }
            drawn.add(1, ordering: .relaxed)
            let card = Drawn(data: data, isComplete: covers == nil || found.count == ids.count)
            cache.insert(card, for: digest)
            return .success(card)
        } catch {
            return .failure(error)
        }
    }
}
