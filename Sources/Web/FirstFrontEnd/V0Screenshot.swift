import Crypto
import FaveGames

/// A screenshot of a game, as the first front end reads it.
struct V0Screenshot: Sendable {
    /// The same image always gets the same id. IGDB's own number is not known here.
    let id: Int
    let url: String

    init(imageID: String) {
        // 48 bits, which a number in JavaScript holds exactly.
        id = SHA256.hash(data: Array(imageID.utf8)).prefix(6).reduce(0) { $0 << 8 | Int($1) }
        url = CoverImage.address(of: imageID, size: "screenshot_big")
    }

    /// A placeholder for a game without known screenshots: the client takes the first screenshot
    /// without checking that there is one.
    init(placeholderFrom services: Services) {
        id = 0
        url = services.settings.publicURL + services.assets.path("no-screenshot.svg")
    }
}
