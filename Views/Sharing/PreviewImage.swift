import Languages

/// The picture in the preview of a shared link.
package struct PreviewImage: Sendable {
    let url: String
    let type: String
    let width: Int
    let height: Int
    /// What the picture shows, in words.
    let alt: Words
    /// Whether the picture is made for the full width of the preview.
    let isLarge: Bool

    package init(
        url: String, type: String, width: Int, height: Int, alt: Words, isLarge: Bool
    ) {
        self.url = url
        self.type = type
        self.width = width
        self.height = height
        self.alt = alt
        self.isLarge = isLarge
    }
}
