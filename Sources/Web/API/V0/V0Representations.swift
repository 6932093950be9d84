import FaveGames
import JSON

// How the things of the domain look to the first front end, one function for each.
extension JSONWriter {
    mutating func v0Game(_ found: FoundGame, _ screenshots: [V0Screenshot]) {
        object { json in
            json.member("id", found.game.id)
            json.member("name", found.game.name)
            json.name("platforms")
            json.array(found.platforms) { $0.int($1.id) }
            json.name("screenshots")
            json.array(screenshots) { json, screenshot in
                json.object { json in
                    json.member("id", screenshot.id)
                    json.member("url", screenshot.url)
                    json.member("game", found.game.id)
                }
            }
        }
    }

    /// No logo is known here.
    mutating func v0Platform(_ platform: Platform) {
        object { json in
            json.member("id", platform.id)
            json.member("name", platform.name)
            json.name("platform_logo")
            json.null()
        }
    }

    mutating func v0User(_ user: User) {
        object { json in
            json.member("userId", UserDigest(of: user.id).text)
            json.member("username", user.username)
        }
    }

    mutating func v0Entry(_ entry: Entry, of owner: UserDigest) {
        object { json in
            json.member("id", entry.id)
            json.member("userId", owner.text)
            json.member("gameId", String(entry.game.id))
            json.member("platformId", String(entry.platform.id))
            json.member("reasons", entry.comment)
        }
    }

    mutating func v0RankedGame(_ ranked: RankedGame) {
        object { json in
            json.member("gameId", ranked.game.id)
            json.member("count", ranked.includedBy)
            json.name("reasons")
            json.array(ranked.quotes) { $0.string($1.comment) }
        }
    }
}
