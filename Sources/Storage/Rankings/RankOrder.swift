import FaveGames

/// The rule of every ranking, in SQL. The more lists include a game, the higher it ranks. Equal
/// counts share a rank, and the ranks after it are skipped: 1, 1, 3. Games that share a rank are
/// ordered by name, and then by id.
///
/// `RankCounter` is the same rule for rows that were read in this order.
package struct RankOrder {
    /// The negated count gives all columns one direction, so that a page begins with one row
    /// comparison.
    private let negatedCount: String
    private let name: String
    private let id: String

    init(negatedCount: String, name: String, id: String) {
        self.negatedCount = negatedCount
        self.name = name
        self.id = id
    }

    /// - Parameter count: An expression, such as an aggregate.
    package init(count: String, name: String = "g.sort_name", id: String = "g.id") {
        self.init(negatedCount: "-\(count)", name: name, id: id)
    }

    /// For rows of `included_by`, or of a subquery with its columns.
    package init(_ table: String) {
        self.init(count: "\(table).count", name: "\(table).sort_name", id: "\(table).game_id")
    }

    /// What rows are sorted by and compared with, as in the index `included_by_ranking`.
    package var keyset: String { "\(negatedCount), \(name), \(id)" }

    /// The keyset in a direction of its own: `ASC`, or `DESC` to read backwards.
    func keyset(_ order: String) -> String {
        "\(negatedCount) \(order), \(name) \(order), \(id) \(order)"
    }

    /// Whether a game has a higher rank than those with this negated count.
    func isAbove(_ negatedCount: String) -> String { "\(self.negatedCount) < \(negatedCount)" }

    /// Whether a game shares its rank with those that have this negated count.
    func isLevel(with negatedCount: String) -> String { "\(self.negatedCount) = \(negatedCount)" }

    package func rank(within partition: String? = nil) -> String {
        "rank() OVER (\(Self.clause(partition))ORDER BY \(negatedCount))"
    }

    /// Like the rank, but games that share a rank have different places.
    package func place(within partition: String) -> String {
        "row_number() OVER (\(Self.clause(partition))ORDER BY \(keyset))"
    }

    private static func clause(_ partition: String?) -> String {
        partition.map { "PARTITION BY \($0) " } ?? ""
    }

    /// A subquery for `FROM`: the rank of `i`, a row of `included_by`. It looks at no more games than
    /// are counted, so a `rank` beyond `isCounted` is only a bound.
    static let counted = """
        LATERAL (
            SELECT count(*) + 1 AS rank FROM (
                SELECT FROM included_by o
                WHERE o.platform_id = i.platform_id AND o.count > 0
                  AND \(RankOrder("o").isAbove("-i.count"))
                ORDER BY -o.count LIMIT \(Ranking.countedRanks)
            ) o
        ) counted
        """

    /// Whether `counted.rank` is the rank.
    static let isCounted = "counted.rank <= \(Ranking.countedRanks)"
}

/// Assigns ranks to counts that come in descending order, by the rule of `RankOrder`.
struct RankCounter {
    private var rank = 0
    private(set) var position = 0
    private var count: Int?

    init() {}

    /// Continues after the first `position` games, with a game whose count is `count`.
    ///
    /// - Parameter above: How many games have a higher count.
    init(position: Int, above: Int, count: Int) {
        rank = above + 1
        self.position = position
        self.count = count
    }

    /// Continues after the cursor's game.
    init(after cursor: RankingCursor) {
        rank = cursor.rank
        position = cursor.position
        count = cursor.includedBy
    }

    mutating func next(count: Int) -> Int {
        position += 1
        if count != self.count { rank = position }
        self.count = count
        return rank
    }
}
