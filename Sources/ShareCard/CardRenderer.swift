import Synchronization
import Work

/// Draws cards on a pool of threads, away from the event loops. All loops share it.
///
/// Drawing one card takes as long as hundreds of requests. Callers that ask for a card while it is
/// pending share one drawing, and the most recently requested cards are cached.
public final class CardRenderer: Sendable {
    private typealias Drawing = Result<[UInt8], any Error>

    private let pool: WorkerPool
    private let cache: LRUCache<String, [UInt8]>
    private let drawings = SharedWorks<String, Drawing>()
    private let drawn = Atomic(0)

    /// - Parameters:
    ///   - cacheCount: How many cards are cached.
    ///   - cacheBytes: How many bytes all cached cards together may take.
    public init(on pool: WorkerPool, cacheCount: Int = 200, cacheBytes: Int = 32 << 20) {
        self.pool = pool
        cache = LRUCache(countLimit: cacheCount, costLimit: cacheBytes) { $0.count }
    }

    /// How many cards were drawn.
    var drawnCount: Int { drawn.load(ordering: .relaxed) }

    /// The card as a PNG.
    ///
    /// A card whose callers have all given up before it is drawn is not drawn.
    ///
    /// - Throws: `WorkerPool.BusyError` if too many cards are waiting, `CancellationError` as soon
    ///   as the task is cancelled, and `CardError`.
    public func png(of card: ShareCard) async throws -> [UInt8] {
        let digest = card.digest
        while true {
            try Task.checkCancellation()
            if let png = cache[digest] { return png }
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
            let png = try await pool.run(.card, isCancellable: true) { try card.png() }
            drawn.add(1, ordering: .relaxed)
            cache.insert(png, for: digest)
            return .success(png)
        } catch {
            return .failure(error)
        }
    }
}
