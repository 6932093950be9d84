import Crypto
import FaveGames

/// A picture out of a game, as the first front end reads it.
struct V0Screenshot: Sendable {
    /// Always the same for an image; IGDB's own number is not known here.
    let id: Int
    let url: String

    init(imageID: String) {
        // 48 bits, which JavaScript holds exactly.
        id = SHA256.hash(data: Array(imageID.utf8)).prefix(6).reduce(0) { $0 << 8 | Int($1) }
        url = CoverImage.address(of: imageID, size: "screenshot_big")
    }

    /// Replaces a screenshot where none is known: the client takes the first without looking.
    init(placeholderFrom services: Services) {
        id = 0
        url = services.settings.publicURL + services.assets.path("no-screenshot.svg")
    }
}
