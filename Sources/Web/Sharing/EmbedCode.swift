import FaveGames
import Views

/// What someone puts into a page of theirs to show a list in it.
struct EmbedCode {
    static let width = 480

    let html: String

    /// - Parameter publicURL: Where people reach the site.
    init(_ list: FaveList, publicURL: String, width: Int = Self.width, height: Int? = nil) {
        html =
            HTML.embedCode(
                address: publicURL + Path.embed(list.owner.username), width: width,
                height: height ?? Self.height(of: list),
                title: list.owner.listTitle
            ).string
    }

    /// Enough that nothing has to be scrolled, as `embed.css` lays it out.
    static func height(of list: FaveList) -> Int { 140 + 104 * max(1, list.entries.count) }
}
