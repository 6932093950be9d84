@testable import Freshness

/// What `CheckedCache` does with findings, with one key for each value.
struct SimulatedCache {
    private struct Entry {
        let version: Int
        let epoch: Int
    }

    /// A value that is being made.
    private struct Fill {
        var version: Int?
        var isOutdated = false
    }

    private var entries: [String: Entry] = [:]
    private var fills: [String: Fill] = [:]
    private var epoch = 0
    private(set) var drops = 0

    /// The things whose values would be used after a check, with their versions.
    var current: [(thing: String, version: Int)] {
        entries.filter { $0.value.epoch == epoch }.map { ($0.key, $0.value.version) }
            .sorted { $0.0 < $1.0 }
    }

    var filling: [String] { fills.keys.sorted() }

    mutating func note(_ finding: ChangeFeed.Finding) {
        switch finding {
        case .changed(let keys):
            for key in keys {
                if entries.removeValue(forKey: key) != nil { drops += 1 }
                fills[key]?.isOutdated = true
            }
        case .lostTrack:
            epoch += 1
            for thing in filling { fills[thing]?.isOutdated = true }
        }
    }

    mutating func begin(_ thing: String) {
        if fills[thing] == nil { fills[thing] = Fill() }
    }

    /// The next step of making a value: reading it, or caching it.
    mutating func goOn(_ thing: String, version: Int) {
        guard let fill = fills[thing] else { return }
        guard let read = fill.version else {
            fills[thing]?.version = version
            return
        }
        fills[thing] = nil
        if !fill.isOutdated { entries[thing] = Entry(version: read, epoch: epoch) }
    }
}
