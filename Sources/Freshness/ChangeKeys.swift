package import Postgres

// The dependencies of reads. The triggers of 0012_changes.sql write the same keys, followed by the
// id of the changed thing, if any.
extension Dependency {
    /// Any change of the table of platforms. It is small and hardly ever changes.
    package static let platforms = all(ChangeKey.platforms)

    /// Any game that searches could find: new games and platforms of games, too.
    package static let catalogue = all(ChangeKey.catalogue)

    /// Any count of any platform.
    package static let rankings = all(ChangeKey.rankings)

    /// Any entry, and the name of any entry's owner.
    package static let entries = all(ChangeKey.entries)

    /// Any list as it is shown beside others, and the name of any owner of a list with entries.
    package static let lists = all(ChangeKey.lists)

    /// Any user, with a list or without.
    package static let users = all(ChangeKey.users)

    package static let pastRanks = all(ChangeKey.pastRanks)

    /// The date in UTC.
    package static let today = all(ChangeKey.today)

    /// The counts and entries on each of the platforms, and the names of the entries' owners. Names
    /// of games are not included.
    package static func ranking(parameter number: Int) -> Dependency {
        each(ChangeKey.ranking, parameter: number)
    }

    package static func ranking(column: String) -> Dependency {
        each(ChangeKey.ranking, column: column)
    }

    /// Each of the games, its platforms and counts, its entries, and the names of their owners.
    package static func games(parameter number: Int) -> Dependency {
        each(ChangeKey.game, parameter: number)
    }

    package static func games(column: String = "g.id") -> Dependency {
        each(ChangeKey.game, column: column)
    }

    /// The hearts of the entries of each of the games.
    package static func hearts(parameter number: Int) -> Dependency {
        each(ChangeKey.hearts, parameter: number)
    }

    package static func hearts(column: String) -> Dependency {
        each(ChangeKey.hearts, column: column)
    }

    /// Each of the users, with their lists, snapshots and entries, and the hearts of these. Counts and
    /// names of games are not included.
    package static func users(parameter number: Int) -> Dependency {
        each(ChangeKey.user, parameter: number)
    }

    package static func users(column: String = "u.id") -> Dependency {
        each(ChangeKey.user, column: column)
    }

    /// Whom each of the users has blocked, and who has blocked them.
    package static func blocks(parameter number: Int) -> Dependency {
        each(ChangeKey.blocks, parameter: number)
    }

    /// Each of the circles, and its set of members. Names and lists of the members are not
    /// included.
    package static func circles(column: String = "c.id") -> Dependency {
        each(ChangeKey.circle, column: column)
    }
}

/// The keys, or their beginnings.
package enum ChangeKey {
    package static let platforms = "platforms"
    package static let catalogue = "catalogue"
    package static let rankings = "rankings"
    package static let entries = "entries"
    package static let lists = "lists"
    package static let users = "users"
    package static let pastRanks = "past ranks"
    package static let today = "today"
    package static let ranking = "ranking"
    package static let game = "game"
    package static let user = "user"
    package static let hearts = "hearts"
    package static let circle = "circle"
    package static let blocks = "blocks"
    package static let everything = "*"

    /// The tables that a key covers: it notes every change of them that its readers could see.
    package static func tables(of name: String) -> Set<String> {
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

/// The date in UTC, as SQL, regardless of the session's time zone. A result that it decides depends
/// on `Dependency.today`.
package enum Today {
    package static let sql = "(now() AT TIME ZONE 'UTC')::date"
}
