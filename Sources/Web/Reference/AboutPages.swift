import Endpoints
import HTTP
import HTTPTypes
import Storage
import Views

/// The pages that say what this site is and what it knows about people.
enum AboutPages {
    static let routes = [
        Route(.get, "/about", .page, returns: .response, caching: .constant) { context in
            let page = PageModel(
                "About", description: "What Fave Games is for, and where its data comes from.",
                path: "/about", context: context.pageContext)
            return Response.page(page, .about())
        },
        Route(.get, "/privacy", .page, returns: .response, caching: .constant) { context in
            let page = PageModel(
                "Privacy", description: "What this site stores about you, and for how long.",
                path: "/privacy", context: context.pageContext)
            let hasMail = context.services.accounts.policy.hasMail
            let stored = StoredData.all.filter { hasMail || !$0.needsMail }
            let content = HTML.privacy(
                stored: stored.map { StoredItem(lead: $0.told.lead, text: $0.told.text) },
                hasMail: hasMail)
            return Response.page(page, content)
        },
    ]
}
