import Encodings
import FaveGames
import Foundation
import HTTP

/// Addresses of pages, without the host.
package enum Path {
    package static let editor = "/me"
    /// The editing page, with the list that was started before signing in.
    package static let guestDraft = editor + "?draft"
    /// The games that someone has imported.
    package static let importing = editor + "/import"
    package static let leftOutOfImport = importing + "?left=out"
    package static let problems = "/api/problems"
    // The operator's own texts.
    package static let rules = "/rules"
    package static let imprint = "/imprint"
    package static let following = "/following"
    package static let followedPeople = following + "/people"
    package static let followers = "/followers"
    /// Where the private feed is; its address has a secret besides.
    package static let followFeed = following + "/feed"
    package static let followFeedRemoval = followFeed + "/remove"

    package static func game(_ id: Int) -> String { "/games/" + String(id) }

    /// The address of the editing page that adds the game.
    ///
    /// - Parameter platform: The platform that is chosen already.
    package static func addToList(_ game: Int, on platform: Platform? = nil) -> String {
        "\(editor)?add=\(game)" + (platform.map { "&platform=\($0.id)" } ?? "")
    }

    package static func platform(_ platform: Platform) -> String { "/platforms/" + platform.slug }

    package static func rankingFeed(_ platform: Platform) -> String {
        Path.platform(platform) + "/feed"
    }

    package static func list(_ username: String) -> String { "/@" + username }
    /// The game at a position of a list.
    package static func place(_ username: String, _ position: Int) -> String {
        "\(list(username))#\(position)"
    }
    package static func similar(_ username: String) -> String { list(username) + "/similar" }
    /// The page where someone is blocked, and where its form is sent.
    package static func block(_ username: String) -> String { list(username) + "/block" }
    package static func unblock(_ username: String) -> String { list(username) + "/unblock" }
    package static let blockedPeople = "/settings/blocked"
    package static func follow(_ username: String) -> String { list(username) + "/follow" }
    package static func listFeed(_ username: String) -> String { list(username) + "/feed" }
    package static func sharing(_ username: String) -> String { list(username) + "/share" }
    package static func embed(_ username: String) -> String { list(username) + "/embed" }

    /// The page where people take and delete snapshots of their list.
    package static let snapshots = "/settings/snapshots"

    /// Where they turn yearly snapshots on and off.
    package static let yearlySnapshots = snapshots + "/yearly"

    /// A snapshot of a list.
    package static func snapshot(_ username: String, _ slug: String) -> String {
        list(username) + "/" + slug
    }

    package static func snapshotSharing(_ username: String, _ slug: String) -> String {
        snapshot(username, slug) + "/share"
    }

    package static func report(user: String) -> String { "/report?username=" + user }
    package static func report(entry: UUID) -> String {
        "/report?entry=" + entry.text
    }

    package static func report(circle: UUID) -> String {
        "/report?circle=" + circle.text
    }

    package static func removeFollower(_ username: String) -> String {
        "\(followers)/\(username)/remove"
    }

    /// Where hearts for an entry's comment are sent.
    package static func heart(_ entry: UUID) -> String {
        "/entries/\(entry.text)/heart"
    }

    package static let circles = "/circles"
    /// The page of an invitation, whose token is in the query.
    package static let circleInvitation = circles + "/join"

    package static func circle(_ slug: String) -> String { "\(circles)/\(slug)" }

    /// An address below that of a circle.
    package static func circle(_ slug: String, _ part: String) -> String {
        "\(circle(slug))/\(part)"
    }

    package static func circleSettings(_ slug: String) -> String { circle(slug, "settings") }

    package static func rankingSharing(_ platform: Platform) -> String {
        Path.platform(platform) + "/share"
    }

    /// The address of a card below the page that it belongs to.
    ///
    /// - Parameter file: The name of the card's file, which changes with what it shows.
    package static func card(_ page: String, _ file: String) -> String {
        "\(page)/card-\(file)"
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
