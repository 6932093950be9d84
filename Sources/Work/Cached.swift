public import Logging
public import Sockets

/// A value that is loaded when it is first needed, cached, and loaded again when it is too old. All
/// loops share it.
public actor Cached<Value: Sendable> {
    private var current: Value?
    private var loads = 0
    private var loadedAt: MonotonicTime?
    private var lastAttempt: MonotonicTime?
    private var loading: Task<Void, Never>?
    private let terms: CacheTerms
    private let load: @Sendable () async throws -> Value

    /// - Parameter value: The current value, if it is already known.
    public init(
        _ terms: CacheTerms, known value: Value? = nil,
        load: @escaping @Sendable () async throws -> Value
    ) {
        current = value
        loadedAt = value.map { _ in terms.loop.clock() }
        self.terms = terms
        self.load = load
    }

    /// The value; `nil` if loading has never succeeded.
    public func value() async -> Value? {
        guard let loadedAt else { return await reload() }
        guard terms.loop.clock() - loadedAt > terms.maximumAge else { return current }
        guard !terms.mustBeFresh else { return await reload() }
        start()
        return current
    }

    /// A number that changes whenever the value has been loaded again. Loads the value if `value` would.
    public func version() async -> Int {
        _ = await value()
        return loads
    }

    /// Loads the value again, unless the last attempt began less than `attemptInterval` ago.
    /// Concurrent callers wait for the same attempt.
    ///
    /// - Returns: The value afterwards, which is the old one if loading failed.
    public func reload() async -> Value? {
        start()
        await loading?.value
        return current
    }

    private func start() {
        guard loading == nil else { return }
        let now = terms.loop.clock()
        if let lastAttempt, now - lastAttempt < terms.attemptInterval { return }
        lastAttempt = now
        loading = Task(executorPreference: terms.loop) { [load] in
            do {
                await self.finish(.success(try await load()))
            } catch {
                await self.finish(.failure(error))
            }
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        loading = nil
        switch result {
        case .success(let value):
            current = value
            loads += 1
            loadedAt = terms.loop.clock()
        case .failure(let error):
            terms.logger.warning("\(terms.name): \(String(reflecting: error))")
        }
    }
}

/// How a `Cached` value is loaded and refreshed.
public struct CacheTerms: Sendable {
    /// The value's name in the log when loading fails.
    public let name: String
    /// The loop that loading runs on.
    public let loop: EventLoop
    public let logger: Logger
    /// A value older than this is loaded again. If that fails, the old value remains in use.
    public var maximumAge: Duration
    /// Whether callers wait for a new value if the current one is older than that. Otherwise they
    /// get the old value, and it is refreshed in the background.
    public var mustBeFresh: Bool
    /// The shortest time between two attempts to load the value.
    public var attemptInterval: Duration

    public init(
        name: String, loop: EventLoop, logger: Logger,
        maximumAge: Duration = .seconds(3600), mustBeFresh: Bool = false,
        attemptInterval: Duration = .seconds(15)
    ) {
        self.name = name
        self.loop = loop
        self.logger = logger
        self.maximumAge = maximumAge
        self.mustBeFresh = mustBeFresh
        self.attemptInterval = attemptInterval
    }
}
