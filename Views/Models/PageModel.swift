import FaveGames
import Languages

/// What the layout of every page shows around its content.
package struct PageModel: Sendable {
    package enum Section: Sendable {
        case none, platforms, games, people, reasons, following, settings, editor
    }

    package var language = Language.en
    /// Links to choose a language by; empty if there is only one.
    package var languages: [LanguageLink] = []
    /// The page in each language, for search engines.
    package var alternates: [LanguageLink] = []
    package var title: Words
    /// Also shown in the preview of a shared link.
    package var description: Words
    /// The Open Graph type.
    package var type = "website"
    /// The page's own address, with host.
    package var canonical: String?
    /// The address of the page's contents as JSON.
    package var json: String?
    /// The addresses of the page's Atom feed, and of its oEmbed description.
    package var feed: String?
    package var oembed: String?
    /// The address of this program's source, if the operator has given it.
    package var source: String?
    /// JSON-LD for machines.
    package var structuredData: JSONText?
    /// Whether a cover is among the first things that the page shows. Browsers then connect to its
    /// host early.
    package var beginsWithCover = false
    package var isIndexed = true
    package var section: Section
    package var image: PreviewImage?
    /// The signed-in visitor, if any.
    package var accountMenu: AccountMenu?
    /// Whether the page describes itself to link previews and search engines, which never sign in.
    package var isForMachines: Bool { accountMenu == nil }
    /// The addresses of the sign-in and sign-up pages, for visitors who are not signed in.
    package var signIn: String?
    package var signUp: String?
    /// Whether the header has a field to search games. Pages that have their own set this to
    /// `false`.
    package var hasSearch = true
    /// What the operator says while people can only read.
    package var maintenance: String?
    /// A confirmation of the last action, above the page's content.
    package var notice: Words?
    /// A stylesheet besides `site.css`, which all pages load.
    package var stylesheet: String?
    /// A script besides `site.js`, which all pages load.
    package var script: String?
    /// Whether browsers without scripts get the page again every two seconds, because it changes.
    package var reloads = false
    /// The address that the page redirects the browser to, if any.
    package var redirect: RedirectAddress?
    /// Where the page has covers from.
    package let covers: CoverImage.Source
    let site: SiteIdentity
    let assets: PageAssets

    package init(
        title: Words, description: Words, section: Section, covers: CoverImage.Source,
        site: SiteIdentity, assets: PageAssets
    ) {
        self.title = title
        self.description = description
        self.section = section
        self.covers = covers
        self.site = site
        self.assets = assets
    }
}
