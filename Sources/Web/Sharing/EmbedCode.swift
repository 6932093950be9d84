import FaveGames

/// What somebody puts into a page of theirs to show a list in it.
struct EmbedCode {
    static let width = 480

    let html: String

    /// - Parameter publicURL: Where people reach the site.
    init(_ list: FaveList, publicURL: String, width: Int = Self.width, height: Int? = nil) {
        let escape = SafeHTML().escapeText
        let address = publicURL + Path.embed(list.owner.username)
        html = """
            <iframe src="\(escape(address))" width="\(width)" \
            height="\(height ?? Self.height(of: list))" \
            title="\(escape("Favourite games of \(list.owner.displayName)"))" \
            loading="lazy" frameborder="0"></iframe>
            """
    }

    /// Enough that nothing has to be scrolled, as `embed.css` lays it out.
    static func height(of list: FaveList) -> Int { 140 + 104 * max(1, list.entries.count) }
}
