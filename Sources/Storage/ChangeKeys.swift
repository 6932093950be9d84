import Postgres

// The dependencies of reads. The triggers of 0012_changes.sql write the same keys, followed by the
// id of the changed thing, if any.
extension Dependency {
    /// Any change of the table of platforms. It is small and hardly ever changes.
    static let platforms = all(ChangeKey.platforms)

    /// Any game that searches could find: new games and platforms of games, too.
    static let catalogue = all(ChangeKey.catalogue)

    /// Any count of any platform.
    static let rankings = all(ChangeKey.rankings)

    /// Any entry, and the name of any entry's owner.
    static let entries = all(ChangeKey.entries)

    /// Any list as it is shown beside others, and the name of any owner of a list with entries.
    static let lists = all(ChangeKey.lists)

    /// Any user, with a list or without.
    static let users = all(ChangeKey.users)

    static let pastRanks = all(ChangeKey.pastRanks)

    /// The date in UTC.
    static let today = all(ChangeKey.today)

    /// The counts and entries on each of the platforms, and the names of the entries' owners. Names
    /// of games are not included.
    static func ranking(parameter number: Int) -> Dependency {
        each(ChangeKey.ranking, parameter: number)
    }

    static func ranking(column: String) -> Dependency { each(ChangeKey.ranking, column: column) }

    /// Each of the games, its platforms and counts, its entries, and the names of their owners.
    static func games(parameter number: Int) -> Dependency {
        each(ChangeKey.game, parameter: number)
    }

    static func games(column: String = "g.id") -> Dependency {
        each(ChangeKey.game, column: column)
    }

    /// The hearts of the entries of each of the games.
    static func hearts(parameter number: Int) -> Dependency {
        each(ChangeKey.hearts, parameter: number)
    }

    static func hearts(column: String) -> Dependency { each(ChangeKey.hearts, column: column) }

    /// Each of the users, with their lists, snapshots and entries, and the hearts of these. Counts and
    /// names of games are not included.
    static func users(parameter number: Int) -> Dependency {
        each(ChangeKey.user, parameter: number)
    }

    static func users(column: String = "u.id") -> Dependency {
        each(ChangeKey.user, column: column)
    }

    /// Whom each of the users has blocked, and who has blocked them.
    static func blocks(parameter number: Int) -> Dependency {
        each(ChangeKey.blocks, parameter: number)
    }

    /// Each of the circles, and its set of members. Names and lists of the members are not
    /// included.
    static func circles(column: String = "c.id") -> Dependency {
        each(ChangeKey.circle, column: column)
    }
}

/// The keys, or their beginnings.
public enum ChangeKey {
    static let platforms = "platforms"
    static let catalogue = "catalogue"
    static let rankings = "rankings"
    static let entries = "entries"
    static let lists = "lists"
    static let users = "users"
    static let pastRanks = "past ranks"
    static let today = "today"
    static let ranking = "ranking"
    static let game = "game"
    static let user = "user"
    static let hearts = "hearts"
    static let circle = "circle"
    static let blocks = "blocks"
    static let everything = "*"

    /// The tables that a key covers: it notes every change of them that its readers could see.
    public static func tables(of name: String) -> Set<String> {
        switch name {
        case platforms: ["platforms"]
        case catalogue: ["games", "game_names", "game_platforms"]
        case rankings: ["included_by"]
        case ranking: ["included_by", "entries", "users"]
        case entries: ["entries", "users"]
        case lists: ["lists", "users"]
        case users: ["users"]
        case user: ["users", "lists", "entries", "snapshots", "snapshot_entries", "heart_counts"]
        case hearts: ["heart_counts"]
        case game: ["games", "game_platforms", "included_by", "entries", "users"]
        case circle: ["circles", "circle_members"]
        case pastRanks: ["past_ranks"]
        case blocks: ["blocks"]
        default: []
        }
    }
}
