/// A kind of work with its own connections and its own queue, so that one kind doesn't wait behind
/// another. A page's reads, for example, don't wait behind commits, lock waits or expensive
/// searches.
enum Lane: Int, CaseIterable {
    case shortReads
    /// Reads that can take long. Only a few run at a time, because they share PostgreSQL's cores
    /// with the short reads.
    case longReads
    /// Single-statement writes, and transactions.
    case writes

    /// The lanes that each of `count` connections serves.
    ///
    /// With three or more connections, every lane has at least one to itself. The others are
    /// divided between short reads and writes; if their number is odd, writes get one more. A write
    /// may wait for the disk, for a lock or for its transaction's client, while reads share a
    /// connection well.
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

    /// The lane where a statement with this effect waits if it is outside a transaction.
    init(_ effect: Statement.Effect) {
        self =
            switch effect {
            case .read: .shortReads
            case .longRead: .longReads
            case .write, .asynchronousWrite: .writes
            }
    }
}
