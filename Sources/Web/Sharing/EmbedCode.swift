import FaveGames
import Languages
import Views

/// The HTML that people put into their own pages to show a list.
struct EmbedCode {
    static let width = 480

    let html: String

    init(_ list: FaveList, for settings: WebSettings, width: Int = Self.width, height: Int? = nil) {
        let language = settings.language(of: list.owner)
        let view = View.embedCode(
            address: settings.publicURL + Path.embed(list.owner.username), width: width,
            height: height ?? Self.height(of: list), title: list.owner.listTitle)
        html = HTML(view, in: language).string
    }

    /// High enough that no one has to scroll, given the layout in `embed.css`.
    static func height(of list: FaveList) -> Int { 140 + 104 * max(1, list.entries.count) }
}
