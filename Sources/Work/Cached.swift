import Logging
import Sockets

/// A value that is loaded from elsewhere when it is first needed, and kept for a while. All loops
/// share it.
public actor Cached<Value: Sendable> {
    private var current: Value?
    private var loadedAt: MonotonicTime?
    private var lastAttempt: MonotonicTime?
    private var loading: Task<Void, Never>?
    private let terms: CacheTerms
    private let load: @Sendable () async throws -> Value

    /// - Parameter value: As of now, if it is known already.
    public init(
        _ terms: CacheTerms, known value: Value? = nil,
        load: @escaping @Sendable () async throws -> Value
    ) {
        current = value
        loadedAt = value.map { _ in MonotonicTime.read() }
        self.terms = terms
        self.load = load
    }

    /// The value; `nil` if it could never be loaded.
    public func value() async -> Value? {
        guard let loadedAt else { return await reload() }
        guard MonotonicTime.read() - loadedAt > terms.maximumAge else { return current }
        guard !terms.mustBeFresh else { return await reload() }
        start()
        return current
    }

    /// Loads the value anew, unless that was tried a moment ago. All who ask meanwhile wait for one
    /// answer.
    ///
    /// - Returns: What is known then.
    public func reload() async -> Value? {
        start()
        await loading?.value
        return current
    }

    private func start() {
        guard loading == nil else { return }
        let now = MonotonicTime.read()
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
            loadedAt = MonotonicTime.read()
        case .failure(let error):
            terms.logger.warning("\(terms.name): \(String(reflecting: error))")
        }
    }
}

/// How a value is kept.
public struct CacheTerms: Sendable {
    /// For the log, when loading fails.
    public let name: String
    /// Where loading runs.
    public let loop: EventLoop
    public let logger: Logger
    /// An older value is loaded anew; it goes on being used if that fails.
    public var maximumAge: Duration
    /// Whether those who ask wait when the value is older than that.
    public var mustBeFresh: Bool
    /// Loading is tried no more often than this.
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
