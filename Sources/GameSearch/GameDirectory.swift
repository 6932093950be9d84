public import FaveGames
public import IGDB
public import Logging
public import Sockets
public import Storage
import StorageWrites
import Work

/// Finds games by text or by id. All loops share it.
///
/// Games come from IGDB, from its earlier responses, which are cached, or from the catalogue of games
/// that we hold. The catalogue is searched when IGDB cannot or need not be asked, and when IGDB
/// fails or finds nothing. Callers never see a failure of IGDB's.
public final class GameDirectory: Sendable {
    /// How long IGDB's responses are used, and how long callers wait for them.
    public struct Terms: Sendable {
        /// A response older than this is used only while IGDB gives no new one. A response older than
        /// half this age is refreshed in the background.
        public var maximumAge = Duration.seconds(24 * 3600)
        /// How long a caller waits for IGDB before the catalogue is searched.
        public var patience = Duration.seconds(2)
        /// The number of responses that are cached in memory.
        public var memoryLimit = 1000

        public init() {}
    }

    public enum Source: String, Sendable {
        case igdb
        /// Games that we hold, which may be an outdated response of IGDB's. IGDB was not asked, did not
        /// respond in time, or found nothing.
        case catalogue
    }

    public struct Response: Sendable {
        public let games: [FoundGame]
        public let source: Source
    }

    private let terms: Terms
    private let upstream: Upstream?
    private let memory: LRUCache<String, Found>
    private let unknown = UnknownGames()

    /// The result of a search at IGDB.
    private struct Found: Sendable {
        let gameIDs: [Int]
        /// When IGDB responded, on this process's clock.
        let receivedAt: MonotonicTime
    }

    /// How many games the memory limit allows for each response; most responses have fewer.
    private static let gamesForEach = 40

    /// IGDB's client, and the store and the loop that cache its responses.
    struct Upstream: Sendable {
        let client: IGDBClient
        let store: Store
        let loop: EventLoop
        let logger: Logger
        let running = SharedWorks<Question, Reply>()

        /// A request to IGDB. People who are signed in don't wait for the turn of a signed-out
        /// person with the same request.
        struct Question: Hashable, Sendable {
            enum Subject: Hashable, Sendable {
                case search(String)
                case ids([Int])
            }

            let subject: Subject
            let isUrgent: Bool

            init(_ subject: Subject, for requester: IGDBRequester) {
                self.subject = subject
                isUrgent = requester.isSignedIn
            }
        }

        enum Reply: Sendable {
            case came
            /// IGDB was not asked, because too many requests already wait for it.
            case refused
            case failed
        }

        func note(_ error: any Error) {
            // While the circuit is open there is nothing new to log.
            if (error as? IGDBError)?.code == .circuitOpen { return }
            logger.info("no response of IGDB's: \(String(reflecting: error))")
        }

        /// Asks, unless the same question is pending already, and waits.
        ///
        /// - Returns: Whether IGDB responded in time.
        func ask(
            _ subject: Question.Subject, for requester: IGDBRequester, _ patience: Duration,
            _ body: @escaping @Sendable () async throws -> Void
        ) async -> Bool {
            // The first refusal may have been for someone else's identical question.
            for _ in 0..<2 {
                switch await begin(subject, for: requester, body).wait(patience) {
                case .finished(.came): return true
                case .finished(.refused): continue
                case .late(isFirst: true):
                    await client.noteSlowness()
                    return false
                case .finished(.failed), .late, .cancelled: return false
                }
            }
            return false
        }

        /// Asks, unless the same question is pending already.
        @discardableResult
        func begin(
            _ subject: Question.Subject, for requester: IGDBRequester,
            _ body: @escaping @Sendable () async throws -> Void
        ) -> SharedWork<Reply> {
            running.join(Question(subject, for: requester), on: loop) {
                do {
                    try await body()
                    return .came
                } catch let error as IGDBError where error.code == .queueFull {
                    return .refused
                } catch {
                    note(error)
                    return .failed
                }
            }
        }
    }

    /// - Parameters:
    ///   - client: `nil` without credentials; the catalogue then serves everything.
    ///   - store: Belongs to `loop`, which is the client's loop.
    public init(
        client: IGDBClient?, store: Store, loop: EventLoop, logger: Logger, terms: Terms = Terms()
    ) {
        self.terms = terms
        memory = LRUCache(
            countLimit: terms.memoryLimit, costLimit: terms.memoryLimit * Self.gamesForEach
        ) { $0.gameIDs.count }
        upstream = client.map { Upstream(client: $0, store: store, loop: loop, logger: logger) }
    }

    // MARK: Searching

    /// Games that a search text may mean.
    ///
    /// - Parameters:
    ///   - platform: If given, only games on this platform are returned.
    ///   - limit: At most 100.
    ///   - store: Belongs to the caller's loop.
    ///   - requester: Called only if IGDB has to be asked.
    func games(
        matching search: SearchText, platform: Int?, limit: Int, store: Store,
        for requester: @Sendable () async -> IGDBRequester
    ) async throws -> Response {
        func response(_ found: Found, _ source: Source) async throws -> Response {
            let games = try await store.games(foundElsewhere: found.gameIDs, for: search)
            let onPlatform =
                if let platform {
                    games.filter { $0.platforms.contains { $0.id == platform } }
                } else { games }
            if onPlatform.isEmpty {
                // The catalogue knows short forms and misspellings that IGDB doesn't.
                let ours = try await store.games(matching: search, platform: platform, limit: limit)
                if !ours.isEmpty { return Response(games: ours, source: .catalogue) }
            }
            return Response(games: Array(onPlatform.prefix(limit)), source: source)
        }
        if let upstream {
            store.usesMore()
            let key = search.text.lowercased()
            let known = try await known(key, store)
            if let known {
                let age = MonotonicTime.read() - known.receivedAt
                if age <= terms.maximumAge {
                    if age > terms.maximumAge / 2 {
                        upstream.begin(.search(key), for: .site, question(key, .site, upstream))
                    }
                    return try await response(known, .igdb)
                }
            }
            let requester = await requester()
            let hasResponse = await upstream.ask(
                .search(key), for: requester, terms.patience, question(key, requester, upstream))
            if hasResponse, let found = memory[key] { return try await response(found, .igdb) }
            // IGDB's results from some days ago are better than matches by letters alone in the
            // catalogue.
            if let known { return try await response(known, .catalogue) }
        }
        return Response(
            games: try await store.games(matching: search, platform: platform, limit: limit),
            source: .catalogue)
    }

    /// An earlier response, if one is cached in memory or in the database.
    private func known(_ key: String, _ store: Store) async throws -> Found? {
        if let found = memory[key] { return found }
        guard let cached = try await store.search(cached: key) else { return nil }
        let found = Found(
            gameIDs: cached.gameIDs,
            receivedAt: MonotonicTime.read() + (.zero - cached.age))
        memory.insert(found, for: key)
        return found
    }

    /// Asks IGDB and caches its response.
    private func question(
        _ key: String, _ requester: IGDBRequester, _ upstream: Upstream
    ) -> @Sendable () async throws -> Void {
        { [memory] in
            let found = try await upstream.client.games(matching: key, for: requester)
            try await upstream.store.keep(found.map(FetchedGame.init))
            let ids = found.map(\.id)
            try await upstream.store.cacheSearch(key, gameIDs: ids)
            memory.insert(Found(gameIDs: ids, receivedAt: MonotonicTime.read()), for: key)
        }
    }

    // MARK: Games by id

    /// Games by their ids.
    struct Known: Sendable {
        /// In the order of the ids, without games that neither we nor IGDB know.
        let games: [FoundGame]
        /// `false` if we did not know some of the games and IGDB did not respond.
        let isComplete: Bool
    }

    /// Games by their ids. IGDB is asked for games that we do not know.
    ///
    /// - Parameters:
    ///   - store: Belongs to the caller's loop.
    ///   - requester: Called only if IGDB has to be asked.
    func games(
        ids: [Int], store: Store, for requester: @Sendable () async -> IGDBRequester
    ) async throws -> Known {
        let known = try await store.games(ids: ids)
        guard let upstream, known.count < Set(ids).count else {
            return Known(games: known, isComplete: true)
        }
        store.usesMore()
        let held = known.map(\.game.id)
        var missing = unknown.filter(
            Set(ids).subtracting(held).filter { !GameID.own.contains($0) })
        if !missing.isEmpty { missing.subtract(try await store.heldGames(among: missing.sorted())) }
        guard !missing.isEmpty else { return Known(games: known, isComplete: true) }
        let asked = missing.sorted()
        let requester = await requester()
        let hasResponse = await upstream.ask(.ids(asked), for: requester, terms.patience) {
            [unknown] in
            let found = try await upstream.client.games(ids: asked, for: requester)
            try await upstream.store.keep(found.map(FetchedGame.init))
            unknown.note(Set(asked).subtracting(found.map(\.id)))
        }
        guard hasResponse else { return Known(games: known, isComplete: false) }
        return Known(games: try await store.games(ids: ids), isComplete: true)
    }
}

/// Ids that IGDB did not know, cached so that no one can make us ask for them again and again.
private final class UnknownGames: Sendable {
    private static let lifetime = Duration.seconds(3600)

    private let ids = LRUCache<Int, MonotonicTime>(countLimit: 10_000)

    /// The wanted ids, without the ids that were recently unknown to IGDB.
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
    /// Takes a game of IGDB's, to be stored.
    public init(_ game: IGDBGame) {
        self.init(
            game: Game(
                id: game.id, name: GameTitle(game.name, names: game.names),
                releaseYear: game.releaseYear, coverImageID: game.coverImageID),
            type: game.type, isEdition: game.isEdition, ratingCount: game.ratingCount,
            platformIDs: game.platformIDs, screenshotImageIDs: game.screenshotImageIDs,
            names: game.names, hasAdultTheme: game.hasAdultTheme,
            hasAdultRating: game.hasAdultRating)
    }
}
