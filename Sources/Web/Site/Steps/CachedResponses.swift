import Endpoints
import Freshness
import HTTP
import HTTPTypes
import Storage

/// The responses from the database that are the same for everyone who is not signed in, each cached
/// until something changes that it was made from. What one person sees is made each time, from rows
/// that are cached, and so are files that never change.
struct CachedResponses: Sendable {
    struct Value: Sendable {
        let response: CachedResponse
        let kind: AddressKind
    }

    private typealias Cache = CheckedCache<ResponseKey, Value>

    /// An entry that suits a request, if a check says that it is current.
    struct Candidate {
        fileprivate let part: CachedResponse.Part
        fileprivate let entry: CheckedCache<ResponseKey, Value>.Entry

        var kind: AddressKind { entry.value.kind }
    }

    private let keys: ResponseKeys
    /// `nil` if responses are not cached.
    private let cache: Cache?
    private let services: Services
    /// How the rows of all other responses are read: some are for one person, and browsers store others for
    /// ever.
    private let sharing: Reading

    /// - Parameters:
    ///   - feed: `nil` if responses are not to be cached.
    ///   - rows: What responses share that aren't cached themselves; `nil` if nothing is cached.
    init(
        _ services: Services, _ keys: ResponseKeys, feed: ChangeFeed?, rows: SharedRows?
    ) {
        let limits = services.settings.cache
        self.services = services
        self.keys = keys
        cache = feed.map {
            Cache($0, bytes: limits.responseBytes, staleness: limits.staleness)
        }
        sharing = rows.map { .sharing($0) } ?? .anew
    }

    var statistics: CacheStatistics? { cache?.statistics }

    // MARK: Hits

    func lookUp(_ key: ResponseKey, for request: Request) -> Candidate? {
        guard let entry = cache?.lookUp(key),
            let part = entry.value.response.part(for: request)
        else { return nil }
        return Candidate(part: part, entry: entry)
    }

    /// Asks what has changed.
    ///
    /// - Parameter done: Called on the loop, with what `validated` wants to know.
    func check(_ done: @escaping (Bool) -> Void) { cache?.feed.check(done) }

    /// - Parameter isChecked: What a check said that began after the look-up.
    /// - Returns: `nil` if the candidate is not current.
    func validated(_ candidate: Candidate, isChecked: Bool) -> Response? {
        let age: Duration?
        switch cache?.validate(candidate.entry, isChecked: isChecked) {
        case .current: age = nil
        case .unknown(let since): age = since
        case .outdated, nil: return nil
        }
        return candidate.entry.value.response[candidate.part].found(uncheckedFor: age)
    }

    // MARK: Misses

    /// The response to a request that was looked up in vain.
    ///
    /// - Parameter make: Makes a response with the services that it may read from.
    func response(
        to context: IncomingRequest, make: (IncomingRequest, Services) async -> Response
    ) async -> Response {
        guard context.isForEveryone else {
            return await make(context, readingAlone(context))
        }
        guard let cache else { return await make(context, services) }
        let request = context.request
        let key = keys.key(of: request, in: context.language)
        let outcome = await cache.value(for: key, from: .catchUp) {
            recorder -> Cache.Made<Response> in
            // In full, so that it can be cached.
            let wanted = recorder == nil ? context : context.unconditional
            let response = await make(
                wanted, recorder.map { services.reading(.forEveryone($0)) } ?? services)
            guard recorder != nil, Self.mayBeCached(response), key.era == keys.era else {
                return .init(uncached: response)
            }
            let cached = CachedResponse(response, isForStrangers: context.kind == .page)
            var suited = cached.response(to: request) ?? response
            suited.cacheStatus = CacheStatus.miss
            return .init(
                suited, caching: Value(response: cached, kind: context.kind),
                cost: cached.size + key.size)
        }
        switch outcome {
        case .hit(let value, let age):
            guard let response = value.response.response(to: request) else {
                return await make(context, services)
            }
            return response.found(uncheckedFor: age)
        case .made(var response, let isCached):
            if isCached { response.cacheStatus = CacheStatus.storedMiss }
            return response
        }
    }

    private static func mayBeCached(_ response: Response) -> Bool {
        response.status == .ok && response.cacheability == .untilChanged
            && !response.headerFields.contains(.setCookie)
    }

    /// The services for a response that is not for everyone, or not to be cached.
    private func readingAlone(_ context: IncomingRequest) -> Services {
        if context.mayBeSignedIn { return services.reading(sharing, for: Viewer()) }
        return context.route?.caching == .immutable ? services.reading(sharing) : services
    }
}

extension Response {
    /// The cached response with where it comes from.
    ///
    /// - Parameter age: How long ago it was current, if PostgreSQL could not be asked.
    fileprivate consuming func found(uncheckedFor age: Duration?) -> Response {
        var response = self
        response.cacheStatus = age.map(CacheStatus.uncheckedHit) ?? CacheStatus.checkedHit
        if let age { response.headerFields[.age] = String(age.components.seconds) }
        return response
    }
}
