import FaveGames

/// The picture of a shared link's preview.
package struct PreviewImage: Sendable {
    let url: String
    let type: String
    let width: Int
    let height: Int
    /// What is on it, in words.
    let alt: String
    /// Whether it is made to be shown in the preview's full width.
    let isLarge: Bool

    package init(
        url: String, type: String, width: Int, height: Int, alt: String, isLarge: Bool
    ) {
        self.url = url
        self.type = type
        self.width = width
        self.height = height
        self.alt = alt
        self.isLarge = isLarge
    }

    /// The cover of a game; `nil` if none is known.
    package init?(_ game: Game) {
        guard let imageID = game.coverImageID else { return nil }
        self.init(
            url: CoverImage(imageID).large, type: "image/jpeg", width: 264, height: 374,
            alt: "Cover of \(game.name)", isLarge: false)
    }
}
