import FaveGames
import HTTP

/// Addresses of pages, without the host.
package enum Path {
    package static let editor = "/me"
    package static let problems = "/api/problems"

    package static func game(_ id: Int) -> String { "/games/" + String(id) }
    package static func addToList(_ game: Int) -> String { Path.game(game) + "/add" }
    package static func platform(_ platform: Platform) -> String { "/platforms/" + platform.slug }

    package static func rankingFeed(_ platform: Platform) -> String {
        Path.platform(platform) + "/feed"
    }

    package static func list(_ username: String) -> String { "/@" + username }
    package static func kindred(_ username: String) -> String { list(username) + "/kindred" }
    package static func listFeed(_ username: String) -> String { list(username) + "/feed" }
    package static func embed(_ username: String) -> String { list(username) + "/embed" }

    package static func card(_ username: String, _ digest: String) -> String {
        "\(list(username))/card-\(digest).png"
    }

    package static func platformGame(_ platform: Platform, _ game: Int) -> String {
        "/platforms/" + platform.slug + "/games/" + String(game)
    }

    package static func tag(_ tag: String) -> String {
        "/entries?tag=" + PercentCoding.encodeQueryValue(tag)
    }

    package static func search(_ path: String, _ search: SearchText?) -> String {
        search.map { "\(path)?search=\(PercentCoding.encodeQueryValue($0.text))" } ?? path
    }
}
