import Sockets
import Synchronization
import Work

/// The covers that cards show, as JPEGs. Each is fetched once and cached while there is room. Any thread
/// may use it.
///
/// A cover that can't be fetched is not requested again for a while. After several failures in a
/// row, no cover is. So a site without internet access draws its cards without delay.
public final class CoverStore: Sendable {
    /// Fetches the cover with an image id, within a few seconds; `nil` if that fails.
    public typealias Fetch = @Sendable (_ imageID: String) async -> [UInt8]?

    private struct Failures {
        var inARow = 0
        /// When fetching resumes.
        var pausedUntil: MonotonicTime?
    }

    /// The time before a cover that can't be fetched is requested again.
    private static let absence: Duration = .seconds(600)
    private static let pause: Duration = .seconds(30)
    private static let failuresInARow = 5

    private let fetch: Fetch
    private let covers = LRUCache<String, [UInt8]>(countLimit: 2_000, costLimit: 32 << 20) {
        $0.count
    }
    private let absent = LRUCache<String, MonotonicTime>(countLimit: 10_000, costLimit: .max) { _ in
        0
    }
    private let fetches = SharedWorks<String, [UInt8]?>()
    private let failures = Mutex(Failures())

    public init(fetch: @escaping Fetch) { self.fetch = fetch }

    /// The available covers, by image id.
    func covers(_ imageIDs: Set<String>) async -> [String: [UInt8]] {
        await withTaskGroup(of: (String, [UInt8]?).self) { group in
            for id in imageIDs { group.addTask { (id, await self.cover(id)) } }
            var found: [String: [UInt8]] = [:]
            for await (id, cover) in group { found[id] = cover }
            return found
        }
    }

    private func cover(_ id: String) async -> [UInt8]? {
        if let cover = covers[id] { return cover }
        guard mayFetch(id) else { return nil }
        let work = fetches.join(id) { [self] in
            let cover = await fetch(id)
            note(cover, of: id)
            return cover
        }
        guard case .finished(let cover) = await work.wait() else { return nil }
        return cover
    }

    private func mayFetch(_ id: String) -> Bool {
        let now = MonotonicTime.read()
        if let until = absent[id], until > now { return false }
        let pausedUntil = failures.withLock { $0.pausedUntil }
        return pausedUntil.map { $0 <= now } ?? true
    }

    private func note(_ cover: [UInt8]?, of id: String) {
        let now = MonotonicTime.read()
        if let cover {
            covers.insert(cover, for: id)
            failures.withLock { $0 = Failures() }
            return
        }
        absent.insert(now + Self.absence, for: id)
        failures.withLock { failures in
            failures.inARow += 1
            if failures.inARow >= Self.failuresInARow { failures.pausedUntil = now + Self.pause }
        }
    }
}
