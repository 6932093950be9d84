import FaveGames
import JSON
import Views

// How the things of the domain look in JSON, one function for each.
extension JSONWriter {
    mutating func platform(_ platform: Platform) {
        object { json in
            json.member("id", platform.id)
            json.member("slug", platform.slug)
            json.member("name", platform.name)
            json.member("abbreviation", platform.abbreviation)
        }
    }

    mutating func game(_ game: Game) {
        object { $0.gameMembers(game) }
    }

    mutating func game(_ found: FoundGame) {
        object { json in
            json.gameMembers(found.game)
            json.member("kind", found.kind.rawValue)
            json.name("platforms")
            json.array(found.platforms) { $0.platform($1) }
        }
    }

    private mutating func gameMembers(_ game: Game) {
        member("id", game.id)
        member("name", game.name)
        member("releaseYear", game.releaseYear)
        member("coverUrl", game.coverImageID.map { CoverImage($0).large })
    }

    mutating func user(_ user: User) {
        object { $0.userMembers(user) }
    }

    /// With what only oneself is told.
    mutating func ownUser(_ user: User) {
        object { json in
            json.userMembers(user)
            json.member("visibility", user.visibility.rawValue)
        }
    }

    private mutating func userMembers(_ user: User) {
        member("id", user.id)
        member("username", user.username)
        member("displayName", user.displayName)
        member("bio", user.bio)
        member("createdAt", user.createdAt)
        member("listUpdatedAt", user.listUpdatedAt)
    }

    mutating func list(_ list: FaveList) {
        object { json in
            json.name("user")
            json.object { json in
                json.member("username", list.owner.username)
                json.member("displayName", list.owner.displayName)
            }
            json.member("updatedAt", list.owner.listUpdatedAt)
            json.name("entries")
            json.array(list.entries) { $0.entry($1) }
        }
    }

    mutating func entry(_ entry: Entry) {
        object { json in
            json.member("id", entry.id)
            json.member("position", entry.position)
            json.name("game")
            json.game(entry.game)
            json.name("platform")
            json.platform(entry.platform)
            json.member("comment", entry.comment)
            json.opinion(entry.rating, entry.tags)
            json.member("createdAt", entry.createdAt)
            json.member("updatedAt", entry.updatedAt)
        }
    }

    /// The rating is left out where there is none.
    private mutating func opinion(_ rating: Rating?, _ tags: [String]) {
        if let rating { member("rating", rating.value) }
        name("tags")
        array(tags) { $0.string($1) }
    }

    mutating func rankedGame(_ ranked: RankedGame) {
        object { json in
            json.member("rank", ranked.rank)
            json.member("includedBy", ranked.includedBy)
            json.name("game")
            json.game(ranked.game)
            json.name("comments")
            json.array(ranked.quotes) { json, quote in
                json.object { json in
                    json.member("username", quote.username)
                    json.member("displayName", quote.displayName)
                    json.member("comment", quote.comment)
                }
            }
        }
    }

    mutating func inclusion(_ inclusion: Inclusion) {
        object { $0.members(of: inclusion) }
    }

    mutating func foundEntry(_ entry: FoundEntry) {
        object { json in
            json.members(of: entry.inclusion)
            json.name("game")
            json.game(entry.game)
            json.name("platform")
            json.platform(entry.inclusion.platform)
        }
    }

    private mutating func members(of inclusion: Inclusion) {
        member("id", inclusion.id)
        name("user")
        object { json in
            json.member("username", inclusion.username)
            json.member("displayName", inclusion.displayName)
        }
        member("position", inclusion.position)
        member("comment", inclusion.comment)
        opinion(inclusion.rating, inclusion.tags)
        member("createdAt", inclusion.createdAt)
        member("updatedAt", inclusion.updatedAt)
    }
}
