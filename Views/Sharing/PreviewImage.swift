import FaveGames

/// The picture in the preview of a shared link.
package struct PreviewImage: Sendable {
    let url: String
    let type: String
    let width: Int
    let height: Int
    /// What the picture shows, in words.
    let alt: String
    /// Whether the picture is made for the full width of the preview.
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
            url: CoverImage(imageID).absolute, type: "image/jpeg", width: 264, height: 374,
            alt: "Cover of \(game.name)", isLarge: false)
    }
}
