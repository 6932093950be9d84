import Synchronization
import Work

/// Draws cards on a pool of threads, away from the event loops: one card takes as long as hundreds of
/// requests.
///
/// Those who ask for the same card while it waits or is drawn get one drawing, and the cards asked for
/// last are kept. All loops share it.
public final class CardRenderer: Sendable {
    private typealias Drawing = Result<[UInt8], any Error>

    private let pool: WorkerPool
    private let cache: LRUCache<String, [UInt8]>
    private let drawings = SharedWorks<String, Drawing>()
    private let drawn = Atomic(0)

    /// - Parameters:
    ///   - cacheCount: How many cards are kept.
    ///   - cacheBytes: How much all that are kept may take.
    public init(on pool: WorkerPool, cacheCount: Int = 200, cacheBytes: Int = 32 << 20) {
        self.pool = pool
        cache = LRUCache(countLimit: cacheCount, costLimit: cacheBytes) { $0.count }
    }

    /// How many cards were drawn.
    var drawnCount: Int { drawn.load(ordering: .relaxed) }

    /// The card as a PNG.
    ///
    /// A card that nobody waits for any more is not drawn.
    ///
    /// - Throws: `WorkerPool.BusyError` if too many wait, `CancellationError` at once when the task
    ///   is cancelled, `CardError`.
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
                // Those who waited before gave it up just now.
                continue
            }
        }
    }

    private func draw(_ card: ShareCard, _ digest: String) async -> Drawing {
        do {
            let png = try await pool.run(for: "cards") { try card.png() }
            drawn.add(1, ordering: .relaxed)
            cache.insert(png, for: digest)
            return .success(png)
        } catch {
            return .failure(error)
        }
    }
}
