import Sockets

/// The bodies that a loop holds which are larger than usual. No client may hold them all, and so keep
/// everyone else from sending one.
struct LargeBodies {
    private let limit: Int
    private var count = 0
    private var counts: [IPNetwork: Int] = [:]

    /// - Parameter limit: How many may be held at once.
    init(limit: Int) { self.limit = limit }

    /// How many of them one owner may hold.
    private var share: Int { max(1, limit / 4) }

    /// - Parameter owner: The network that the body counts towards; `nil` for none.
    /// - Returns: `false` if there is no room for another one of this owner's.
    mutating func add(of owner: IPNetwork?) -> Bool {
        guard count < limit else { return false }
        if let owner {
            guard counts[owner, default: 0] < share else { return false }
            counts[owner, default: 0] += 1
        }
        count += 1
        return true
    }

    /// - Parameter owner: The same as when the body was added.
    mutating func remove(of owner: IPNetwork?) {
        count -= 1
        guard let owner, let owned = counts[owner] else { return }
        counts[owner] = owned > 1 ? owned - 1 : nil
    }
}
