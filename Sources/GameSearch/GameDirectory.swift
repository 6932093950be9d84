import FaveGames
import IGDB
import Logging
import Sockets
import Storage
import Work

/// Finds games: through IGDB where it is asked, from what is kept where it has answered before, and
/// from the catalogue of games we hold where it cannot or need not be asked. All loops share it.
///
/// No failure of IGDB's reaches a caller: the catalogue answers then.
public final class GameDirectory: Sendable {
    /// How long answers of IGDB's are used.
    public struct Terms: Sendable {
        /// An older answer is used only while IGDB gives none; one older than half that age is
        /// refreshed in the background.
        public var maximumAge = Duration.seconds(24 * 3600)
        /// How long someone waits for IGDB before the catalogue answers.
        public var patience = Duration.seconds(2)
        /// How many answers are kept in memory.
        public var memoryLimit = 1000

        public init() {}
    }

    public enum Source: String, Sendable {
        case igdb
        /// What we hold, an older answer of IGDB's too: it was not asked, or did not answer in time.
        case catalogue
    }

    public struct Answer: Sendable {
        public let games: [FoundGame]
        public let source: Source
    }

    private let terms: Terms
    private let upstream: Upstream?
    private let memory: LRUCache<String, Found>
    private let unknown = UnknownGames()

    /// What a search found.
    private struct Found: Sendable {
        let games: [FoundGame]
        /// When IGDB answered, on this process's clock.
        let answeredAt: MonotonicTime
    }

    /// A search finds less than that, as a rule.
    private static let gamesForEach = 40

    /// IGDB, and the store and loop by which its answers are kept.
    struct Upstream: Sendable {
        let client: IGDBClient
        let store: Store
        let loop: EventLoop
        let logger: Logger
        let running = SharedWorks<String, Bool>()

        func note(_ error: any Error) {
            // While it is left alone nothing is new.
            if (error as? IGDBError)?.code == .circuitOpen { return }
            logger.info("no answer of IGDB's: \(String(reflecting: error))")
        }
    }

    /// - Parameters:
    ///   - client: `nil` without credentials: then the catalogue answers all.
    ///   - store: Of `loop`, which is the client's.
    public init(
        client: IGDBClient?, store: Store, loop: EventLoop, logger: Logger, terms: Terms = Terms()
    ) {
        self.terms = terms
        memory = LRUCache(
            countLimit: terms.memoryLimit, costLimit: terms.memoryLimit * Self.gamesForEach
        ) { $0.games.count }
        upstream = client.map { Upstream(client: $0, store: store, loop: loop, logger: logger) }
    }

    // MARK: Searching

    /// Games that someone may mean.
    ///
    /// - Parameters:
    ///   - platform: Only games that are on it.
    ///   - limit: At most 100.
    ///   - store: Of the caller's loop.
    func games(
        matching search: SearchText, platform: Int?, limit: Int, store: Store
    ) async throws -> Answer {
        func answer(_ games: [FoundGame], _ source: Source) -> Answer {
            let onPlatform =
                if let platform {
                    games.filter { $0.platforms.contains { $0.id == platform } }
                } else { games }
            return Answer(games: Array(onPlatform.prefix(limit)), source: source)
        }
        if let upstream {
            let key = search.text.lowercased()
            let known = try await known(key, store)
            if let known {
                let age = MonotonicTime.read() - known.answeredAt
                if age <= terms.maximumAge {
                    if age > terms.maximumAge / 2 { _ = ask(key, upstream) }
                    return answer(known.games, .igdb)
                }
            }
            switch await ask(key, upstream).wait(terms.patience) {
            case .finished(true): if let found = memory[key] { return answer(found.games, .igdb) }
            case .late(isFirst: true):
                await upstream.client.noteSlowness()
            case .finished(false), .late, .cancelled: break
            }
            // What was found some days ago is better than what letters alone can find.
            if let known { return answer(known.games, .catalogue) }
        }
        return Answer(
            games: try await store.games(matching: search, platform: platform, limit: limit),
            source: .catalogue)
    }

    /// What is kept of an earlier answer, in memory or in the database.
    private func known(_ key: String, _ store: Store) async throws -> Found? {
        if let found = memory[key] { return found }
        guard let kept = try await store.search(kept: key) else { return nil }
        let found = Found(
            games: try await store.games(ids: kept.gameIDs),
            answeredAt: MonotonicTime.read() + (.zero - kept.age))
        memory.insert(found, for: key)
        return found
    }

    /// Asks IGDB, unless that is asked already, and keeps what it says.
    ///
    /// - Returns: Whether it answered, once that is known.
    private func ask(_ key: String, _ upstream: Upstream) -> SharedWork<Bool> {
        upstream.running.join(key, on: upstream.loop) { [memory] in
            do {
                let found = try await upstream.client.games(matching: key)
                try await upstream.store.keep(found.map(FetchedGame.init))
                let ids = found.map(\.id)
                try await upstream.store.keepSearch(key, gameIDs: ids)
                memory.insert(
                    Found(
                        games: try await upstream.store.games(ids: ids),
                        answeredAt: MonotonicTime.read()), for: key)
                return true
            } catch {
                upstream.note(error)
                return false
            }
        }
    }

    // MARK: Games by id

    /// Games by their ids.
    struct Known: Sendable {
        /// In the order of the ids, those that nobody knows left out.
        let games: [FoundGame]
        /// Whether IGDB could be asked for those that we did not know.
        let isComplete: Bool
    }

    /// Games by their ids. IGDB is asked for those that we do not know.
    ///
    /// - Parameter store: Of the caller's loop.
    func games(ids: [Int], store: Store) async throws -> Known {
        let known = try await store.games(ids: ids)
        guard let upstream else { return Known(games: known, isComplete: true) }
        let missing = unknown.filter(Set(ids).subtracting(known.map(\.game.id))).sorted()
        guard !missing.isEmpty else { return Known(games: known, isComplete: true) }
        // No text of a search has a line end.
        let key = "ids\n" + missing.map(String.init).joined(separator: ",")
        let work = upstream.running.join(key, on: upstream.loop) { [unknown] in
            do {
                let found = try await upstream.client.games(ids: missing)
                try await upstream.store.keep(found.map(FetchedGame.init))
                unknown.note(Set(missing).subtracting(found.map(\.id)))
                return true
            } catch {
                upstream.note(error)
                return false
            }
        }
        guard case .finished(true) = await work.wait(terms.patience) else {
            return Known(games: known, isComplete: false)
        }
        return Known(games: try await store.games(ids: ids), isComplete: true)
    }
}

/// Ids that IGDB did not know when it was asked for them: nobody makes us ask again and again.
private final class UnknownGames: Sendable {
    private static let lifetime = Duration.seconds(3600)

    private let ids = LRUCache<Int, MonotonicTime>(countLimit: 10_000)

    /// Leaves out those that IGDB did not know of late.
    func filter(_ wanted: Set<Int>) -> Set<Int> {
        guard !wanted.isEmpty else { return wanted }
        let now = MonotonicTime.read()
        return wanted.filter { id in ids[id].map { now - $0 > Self.lifetime } ?? true }
    }

    func note(_ unknown: Set<Int>) {
        let now = MonotonicTime.read()
        for id in unknown { ids.insert(now, for: id) }
    }
}

extension FetchedGame {
    /// A game of IGDB's, to be kept.
    public init(_ game: IGDBGame) {
        self.init(
            game: Game(
                id: game.id, name: game.name, releaseYear: game.releaseYear,
                coverImageID: game.coverImageID),
            type: game.type, isEdition: game.isEdition, ratingCount: game.ratingCount,
            platformIDs: game.platformIDs, screenshotImageIDs: game.screenshotImageIDs)
    }
}
