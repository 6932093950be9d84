import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Identity
import Languages
import Views

/// The pages that say what this site is, what it knows about people, and what its operator says.
enum AboutPages {
    static let routes = [
        Route(.get, "/about", .page, returns: .response, caching: .constant) { context in
            let site = context.services.settings.site
            let page = PageModel(
                .about, description: .aboutSite(site.name),
                path: "/about", context: context.pageContext)
            return Response.page(page, .about(site))
        },
        Route(.get, "/privacy", .page, returns: .response, caching: .constant) { context in
            let page = PageModel(
                .privacy, description: .aboutPrivacy,
                path: "/privacy", context: context.pageContext)
            let content = View.privacy(
                hasMail: context.services.accounts.policy.hasMail,
                hasLanguages: !page.languages.isEmpty, covers: page.covers)
            return Response.page(page, content)
        },
        Route(.get, Path.rules, .page, returns: .response, caching: .constant) { context in
            let site = context.services.settings.site
            return try text(
                site.rules, .rules, .aboutRules, at: Path.rules,
                contact: site.contact, context)
        },
        Route(.get, Path.imprint, .page, returns: .response, caching: .constant) { context in
            try text(
                context.services.settings.site.imprint, .imprint, .aboutImprint,
                at: Path.imprint, contact: nil, context)
        },
    ]

    /// A page with a text of the operator's, which may begin with a heading of its own.
    private static func text(
        _ text: SiteText?, _ heading: Words, _ description: Words, at path: String,
        contact: ExternalAddress?, _ context: RequestContext
    ) throws(Problem) -> Response {
        guard let text else { throw .notFound(.noSuchPage) }
        let heading = text.title.map(Words.init(name:)) ?? heading
        let page = PageModel(
            heading, description: description, path: path, context: context.pageContext)
        return .page(page, .siteText(heading: heading, text, contact: contact))
    }
}
