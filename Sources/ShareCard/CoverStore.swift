public import FaveGames
import Sockets
import Synchronization
import Work

/// The covers that cards show, and pages if the site serves covers itself, as JPEGs. Each is fetched
/// once, and cached in memory and perhaps in a folder while there is room. Any thread may use it.
///
/// A cover that can't be fetched is not requested again for a while. After several failures in a
/// row, no cover is. So a site without internet access draws its cards without delay.
public final class CoverStore: Sendable {
    /// A cover in one size.
    public struct Name: Hashable, Sendable {
        public let imageID: String
        public let size: CoverImage.Size

        public init(_ imageID: String, _ size: CoverImage.Size) {
            self.imageID = imageID
            self.size = size
        }
    }

    public enum Fetched: Sendable {
        case cover([UInt8])
        /// The host has no such cover.
        case absent
        /// The host didn't respond, or with something else than a cover.
        case failed
    }

    /// Fetches a cover within a few seconds.
    public typealias Fetch = @Sendable (Name) async -> Fetched

    /// How often covers were asked for, and what came of it.
    public struct Statistics: Sendable {
        public var fromMemory = 0
        public var fromFolder = 0
        public var fetched = 0
        public var fetchedBytes = 0
        public var absent = 0
        public var failed = 0
        /// Not fetched: the host is being left alone, too many wait, or no one waits for it any longer.
        public var refused = 0
        /// The size of the folder; `nil` without one, or before it was looked at.
        public var storedBytes: Int?
    }

    private struct Failures {
        var inARow = 0
        /// When fetching resumes.
        var pausedUntil: MonotonicTime?
    }

    /// The time before a cover is requested again that the host doesn't have.
    private static let absence: Duration = .seconds(3600)
    /// The same for one that couldn't be fetched.
    private static let failure: Duration = .seconds(60)
    private static let pause: Duration = .seconds(30)
    private static let failuresInARow = 5

    private let fetch: Fetch
    private let folder: CoverFolder?
    private let covers = LRUCache<Name, [UInt8]>(countLimit: 2_000, costLimit: 32 << 20) {
        $0.count
    }
    private let absent = LRUCache<Name, MonotonicTime>(countLimit: 10_000, costLimit: .max) { _ in
        0
    }
    private let fetches = SharedWorks<Name, [UInt8]?>()
    private let gate = FetchGate()
    private let failures = Mutex(Failures())
    private let counts = Mutex(Statistics())

    /// - Parameter folder: Where covers are also stored; `nil` for memory alone.
    public init(folder: CoverFolder? = nil, fetch: @escaping Fetch) {
        self.folder = folder
        self.fetch = fetch
    }

    /// Ends the threads that read and write the folder.
    public func close() { folder?.close() }

    public var statistics: Statistics {
        var statistics = counts.withLock { $0 }
        statistics.storedBytes = folder?.byteCount
        return statistics
    }

    /// The available covers for cards, by image id.
    func covers(_ imageIDs: Set<String>) async -> [String: [UInt8]] {
        await withTaskGroup(of: (String, [UInt8]?).self) { group in
            for id in imageIDs {
                group.addTask { (id, await self.cover(Name(id, .large2x))) }
            }
            var found: [String: [UInt8]] = [:]
            for await (id, cover) in group { found[id] = cover }
            return found
        }
    }

    /// A cover; `nil` if it isn't available now. All who ask for a cover at the same time share one fetch.
    public func cover(_ name: Name) async -> [UInt8]? {
        if let cover = covers[name] {
            counts.withLock { $0.fromMemory += 1 }
            return cover
        }
        let work = fetches.join(name) { [self] in await load(name) }
        guard case .finished(let cover) = await work.wait() else { return nil }
        return cover
    }

    private func load(_ name: Name) async -> [UInt8]? {
        // Another caller's work may just have ended.
        if let cover = covers[name] { return cover }
        if let cover = await folder?.read(name) {
            covers.insert(cover, for: name)
            counts.withLock { $0.fromFolder += 1 }
            return cover
        }
        guard mayFetch(name) else { return refuse() }
        let passed = await gate.pass(if: { !Task.isCancelled && mayFetch(name) }) {
            () async -> [UInt8]? in
            let fetched = await fetch(name)
            // Everyone who wanted it has left, which says nothing about the host.
            guard !Task.isCancelled else { return refuse() }
            // Before the next one passes, who may see here that the host is to be left alone.
            return note(fetched, of: name)
        }
        guard let cover = passed else { return refuse() }
        return cover
    }

    private func refuse() -> [UInt8]? {
        counts.withLock { $0.refused += 1 }
        return nil
    }

    private func mayFetch(_ name: Name) -> Bool {
        let now = MonotonicTime.read()
        if let until = absent[name], until > now { return false }
        let pausedUntil = failures.withLock { $0.pausedUntil }
        return pausedUntil.map { $0 <= now } ?? true
    }

    /// - Returns: The cover, if it is one.
    private func note(_ fetched: Fetched, of name: Name) -> [UInt8]? {
        let now = MonotonicTime.read()
        switch fetched {
        case .cover(let cover) where CoverPicture.isCover(cover):
            covers.insert(cover, for: name)
            counts.withLock { counts in
                counts.fetched += 1
                counts.fetchedBytes += cover.count
            }
            failures.withLock { $0 = Failures() }
            if let folder { Task { await folder.write(cover, name) } }
            return cover
        case .absent:
            absent.insert(now + Self.absence, for: name)
            counts.withLock { $0.absent += 1 }
            failures.withLock { $0 = Failures() }
        case .cover, .failed:
            absent.insert(now + Self.failure, for: name)
            counts.withLock { $0.failed += 1 }
            failures.withLock { failures in
                failures.inARow += 1
                if failures.inARow >= Self.failuresInARow {
                    failures.pausedUntil = now + Self.pause
                }
            }
        }
        return nil
    }
}
