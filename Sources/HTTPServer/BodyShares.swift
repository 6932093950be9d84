import Sockets

/// Counts the requests of a loop that wait for a body, or hold a large one, so that no client can prevent
/// all others from sending one.
///
/// An owner gets a quarter. Someone with many IPv6 networks, up to a /48, gets half for all of them
/// together.
struct BodyShares {
    private let limit: Int
    private var count = 0
    private var counts: [IPNetwork: Int] = [:]

    /// - Parameter limit: How many requests there may be at once.
    init(limit: Int) { self.limit = limit }

    /// - Parameter owner: The network that the request counts towards; `nil` for none.
    /// - Throws: If there is no room for another request of this owner's.
    mutating func add(of owner: IPNetwork?) throws(ConnectionError) {
        guard count < limit else { throw .overloaded }
        for (network, share) in shares(of: owner) {
            guard counts[network, default: 0] < max(1, share) else {
                throw .tooManyConnectionsOfOne
            }
        }
        for (network, _) in shares(of: owner) { counts[network, default: 0] += 1 }
        count += 1
    }

    /// - Parameter owner: The same as when the request was added.
    mutating func remove(of owner: IPNetwork?) {
        count -= 1
        for (network, _) in shares(of: owner) {
            let owned = counts[network, default: 0]
            counts[network] = owned > 1 ? owned - 1 : nil
        }
    }

    private func shares(of owner: IPNetwork?) -> [(IPNetwork, Int)] {
        guard let owner else { return [] }
        guard !owner.address.isV4, owner.prefixLength > 48 else { return [(owner, limit / 4)] }
        return [
            (owner, limit / 4), (IPNetwork(of: owner.address, prefixLength: 48), limit / 2),
        ]
    }
}

/// A body of a connection that counts towards its client's share.
struct CountedBody {
    /// The network of the client that sends it; `nil` if that may send any number.
    let owner: IPNetwork?
    /// Whether it may be larger than most bodies.
    let isLarge: Bool
    /// How many bytes of it had arrived when its time was last checked.
    var arrived = 0
}
