/// A kind of work that has connections and a queue of its own, so that none waits behind another:
/// a page's reads not behind commits, lock waits and expensive searches.
enum Lane: Int, CaseIterable {
    case shortReads
    /// Reads that can take long. Few at a time: PostgreSQL's cores are shared, too.
    case longReads
    /// Single-statement writes, and transactions.
    case writes

    /// Which lanes each of `count` connections serves. From three on every lane has one for itself;
    /// beyond that, writes get one more than short reads: a commit waits for the disk, a lock for
    /// its holder, and a transaction for its client, while reads share a connection well.
    static func shares(of count: Int) -> [[Lane]] {
        switch count {
        case ..<1: return []
        case 1: return [allCases]
        case 2: return [[.shortReads], [.writes, .longReads]]
        default:
            let reads = (count - 1) / 2
            return Array(repeating: [.shortReads], count: reads) + [[.longReads]]
                + Array(repeating: [.writes], count: count - 1 - reads)
        }
    }
}

extension Statement {
    /// Where it waits outside a transaction.
    var lane: Lane {
        switch effect {
        case .read: .shortReads
        case .longRead: .longReads
        case .write: .writes
        }
    }
}
