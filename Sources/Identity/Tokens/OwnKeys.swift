import Logging
import Sockets
import Storage
import Work

/// The server's own keys, read again from the database every minute: operators rotate them while
/// processes run. All loops share them.
public struct OwnKeys: Sendable {
    private let keys: Cached<[SigningKey]>
    let keySet: KeySet

    private static let maximumAge = Duration.seconds(60)

    /// - Parameters:
    ///   - keys: As they are now, the one to sign with first.
    ///   - load: Reads them again; runs on `loop`.
    public init(
        _ keys: [SigningKey], loop: EventLoop, logger: Logger,
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
            var verificationKeys: [VerificationKey] = []
            for key in await cached.reload() ?? [] {
                verificationKeys.append(await key.verificationKey)
            }
            return verificationKeys
        }
    }

    /// All keys, the one to sign with first.
    public func current() async -> [SigningKey] { await keys.value() ?? [] }
}
