import Foundation
import HTTPClient
import HTTPTypes
import Logging
import Sockets

/// The keys of one issuer: fixed, or fetched from its address and kept for a while.
actor KeySet {
    private var keys: [VerificationKey]
    private let source: Source?
    private var fetchedAt: MonotonicTime?
    private var lastAttempt: MonotonicTime?
    private var fetch: Task<Void, Never>?

    struct Source: Sendable {
        let url: String
        let client: HTTPClient
        let loop: EventLoop
        let logger: Logger
        /// An unknown key makes us look, but not more often than this: four times a minute.
        var attemptInterval = Duration.seconds(15)
    }

    /// Keys older than this are fetched anew; if that fails, the old ones go on.
    private static let maximumAge = Duration.seconds(3600)

    init(_ keys: [VerificationKey]) {
        self.keys = keys
        source = nil
    }

    init(_ source: Source) {
        keys = []
        self.source = source
    }

    /// The key that a token's header names. A header without a name is accepted if only one key
    /// has the algorithm.
    func key(id: String?, algorithm: String) async -> VerificationKey? {
        if source != nil, isStale { await refresh() }
        if let key = find(id, algorithm) { return key }
        guard source != nil else { return nil }
        await refresh()
        return find(id, algorithm)
    }

    private func find(_ id: String?, _ algorithm: String) -> VerificationKey? {
        let candidates = keys.filter { $0.algorithm == algorithm }
        if let id {
            return candidates.first { $0.id == id }
                // A key file in PEM form has no names.
                ?? (candidates.count == 1 && candidates[0].id == nil ? candidates[0] : nil)
        }
        return candidates.count == 1 ? candidates[0] : nil
    }

    private var isStale: Bool {
        guard let fetchedAt else { return true }
        return MonotonicTime.read() - fetchedAt > Self.maximumAge
    }

    /// Fetches the set, unless it was tried a moment ago. All who ask meanwhile wait for one fetch.
    private func refresh() async {
        if let fetch { return await fetch.value }
        guard let source else { return }
        let now = MonotonicTime.read()
        if let lastAttempt, now - lastAttempt < source.attemptInterval { return }
        lastAttempt = now
        let task = Task(executorPreference: source.loop) { await self.load(source) }
        fetch = task
        await task.value
        fetch = nil
    }

    private func load(_ source: Source) async {
        do {
            let request = ClientRequest(
                .get, source.url, headerFields: [.accept: "application/json"],
                timeout: .seconds(5), maximumResponseBytes: 1 << 18)
            let response = try await source.client.send(request)
            guard response.status == .ok else {
                return source.logger.warning("key set: status \(response.status.code)")
            }
            let keys = await VerificationKey.read(jwks: Data(response.body))
            guard !keys.isEmpty else {
                return source.logger.warning("key set: no key that can be used")
            }
            self.keys = keys
            fetchedAt = MonotonicTime.read()
        } catch {
            source.logger.warning("key set: \(error.debugDescription)")
        }
    }
}
