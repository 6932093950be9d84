/// What the layout of every page shows around its content.
package struct PageModel: Sendable {
    package enum Section: Sendable {
        case none, platforms, games, people, reasons, settings, editor
    }

    package var title: String
    /// Also what a shared link's preview says.
    package var description: String
    /// The Open Graph type.
    package var type = "website"
    /// The page's own address, with host.
    package var canonical: String?
    /// The address of the same in JSON.
    package var json: String?
    /// The addresses of its Atom feed, and of how to embed it.
    package var feed: String?
    package var oembed: String?
    /// JSON-LD for machines.
    package var structuredData: JSONText?
    package var isIndexed = true
    package var section: Section
    package var image: PreviewImage?
    /// Who is signed in, if anyone is.
    package var viewer: Viewer?
    /// The addresses of the pages to sign in and up on, for someone who is not.
    package var signIn: String?
    package var signUp: String?
    /// Whether the header has a field to search games; not where the page has its own.
    package var hasSearch = true
    /// A script besides the one of all pages.
    package var script: String?
    /// Where the browser goes by itself.
    package var redirect: RedirectAddress?
    let assets: PageAssets

    package init(
        title: String, description: String, section: Section, assets: PageAssets
    ) {
        self.title = title
        self.description = description
        self.section = section
        self.assets = assets
    }
}
