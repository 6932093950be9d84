package import Logging
package import Sockets
package import Storage
import StorageWrites
import Work

/// The server's own keys. All loops share them. They are read again from the database every minute,
/// because operators rotate keys while processes run.
public struct OwnKeys: Sendable {
    private let keys: Cached<[SigningKey]>
    let keySet: KeySet

    private static let maximumAge = Duration.seconds(60)

    /// - Parameters:
    ///   - keys: The keys as of now; the first is the one to sign with. `nil` if they are not known yet.
    ///   - load: Reads the keys again; runs on `loop`.
    package init(
        _ keys: [SigningKey]?, loop: EventLoop, logger: Logger,
        load: @escaping @Sendable () async throws -> [StoredSigningKey]
    ) {
        let cached = Cached(
            CacheTerms(
                name: "signing keys", loop: loop, logger: logger, maximumAge: Self.maximumAge,
                mustBeFresh: true, attemptInterval: .seconds(5)),
            known: keys
        ) { try await load().compactMap(SigningKey.init) }
        self.keys = cached
        keySet = KeySet(
            CacheTerms(
                name: "own key set", loop: loop, logger: logger, maximumAge: Self.maximumAge,
                mustBeFresh: true, attemptInterval: .seconds(5))
        ) {
            await (cached.reload() ?? []).map(\.verificationKey)
        }
    }

    /// All keys; the first is the one to sign with.
    public func current() async -> [SigningKey] { await keys.value() ?? [] }
}
