import Sockets
import Synchronization
import Work

/// Draws cards on a pool of threads, away from the event loops. All loops share it.
///
/// Drawing one card takes as long as hundreds of requests. Callers that ask for a card while it is
/// pending share one drawing, and the most recently requested cards are cached.
public final class CardRenderer: Sendable {
    /// A card that was drawn.
    public struct Drawn: Sendable {
        public let png: [UInt8]
        /// Whether all covers could be had. If not, the card will be drawn anew in a while, and
        /// nobody must keep this picture.
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

    /// - Parameters:
    ///   - covers: Where covers come from; `nil` to draw placeholders.
    ///   - cacheCount: How many cards are cached.
    ///   - cacheBytes: How many bytes all cached cards together may take.
    public init(
        on pool: WorkerPool, covers: CoverStore? = nil, cacheCount: Int = 200,
        cacheBytes: Int = 32 << 20
    ) {
        self.pool = pool
        self.covers = covers
        cache = LRUCache(countLimit: cacheCount, costLimit: cacheBytes) { $0.png.count }
    }

    /// How many cards were drawn.
    var drawnCount: Int { drawn.load(ordering: .relaxed) }

    /// Draws the card, unless it was drawn a moment ago.
    ///
    /// A card whose callers have all given up before it is drawn is not drawn.
    ///
    /// - Throws: `WorkerPool.BusyError` if too many cards are waiting, `CancellationError` as soon
    ///   as the task is cancelled, and `CardError`.
    public func draw(_ card: ShareCard) async throws -> Drawn {
        let digest = card.digest
        while true {
            try Task.checkCancellation()
            if let drawn = cache[digest], drawn.isCurrent { return drawn }
            let drawing = drawings.join(digest) { [self] in await draw(card, digest) }
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

    private func draw(_ card: ShareCard, _ digest: String) async -> Drawing {
        do {
            let ids = card.coverIDs
            let found = await covers?.covers(ids) ?? [:]
            let png = try await pool.run(.card, isCancellable: true) {
                try card.png(covers: found)
            }
            drawn.add(1, ordering: .relaxed)
            let card = Drawn(png: png, isComplete: covers == nil || found.count == ids.count)
            cache.insert(card, for: digest)
            return .success(card)
        } catch {
            return .failure(error)
        }
    }
}
