import Endpoints
import HTTP
import HTTPTypes
import Languages

/// Chooses the language of one loop's responses: for a page the one in its query, the account's, the
/// browser's cookie's, the one that the browser prefers, or the site's; for all else the site's.
///
/// Without an account, the language depends on the request alone. So the key of a cached page has the same
/// language as the page. An embedded list is in its owner's language, whose changes its cached response
/// depends on.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class PageLanguages: @unchecked Sendable {
    private let offered: OfferedLanguages
    private let cookieSite: CookieSite
    private let router: Router<Route>
    /// The result for the last Accept-Language.
    private var last: (field: String?, language: Language)
    private var accepted: [String: Language] = [:]

    /// How many values of Accept-Language have a result in memory.
    static let limit = 256
    /// The most bytes of such a value.
    static let valueLimit = 128

    init(_ settings: WebSettings, _ router: Router<Route>) {
        offered = settings.languages
        cookieSite = settings.cookieSite
        self.router = router
        last = (nil, offered.site)
    }

    /// The number of results in memory.
    var count: Int { accepted.count }

    /// The language of the response to a request whose sender isn't signed in.
    func language(of request: Request) -> Language {
        let target = request.target
        return language(
            of: request,
            to: Routes.kind(of: target, router.match(request.method, target.segments)))
    }

    /// - Parameter kind: That of the request's target.
    func language(of request: Request, to kind: @autoclosure () -> AddressKind) -> Language {
        guard offered.areSeveral else { return offered.site }
        let wanted = requested(by: request) ?? chosen(by: request) ?? accepted(by: request)
        return wanted == offered.site || kind() == .page ? wanted : offered.site
    }

    /// The language of a page for someone with an account; `nil` if that is the same as for others.
    ///
    /// - Parameter tag: The account's language.
    func language(of request: Request, account tag: String?) -> Language? {
        guard offered.areSeveral, let tag, requested(by: request) == nil else { return nil }
        return offered[tag]
    }

    /// The language that the target itself asks for.
    private func requested(by request: Request) -> Language? {
        guard let query = request.target.query, let items = try? FormItems(parsing: query) else {
            return nil
        }
        let values = items.values(PageAddress.languageName)
        return values.count == 1 ? offered[values[0]] : nil
    }

    private func chosen(by request: Request) -> Language? {
        guard Cookie.language.mayBe(in: request) else { return nil }
        return Cookie.language.value(in: request, at: cookieSite).flatMap { offered[$0] }
    }

    private func accepted(by request: Request) -> Language {
        if request.hasValue(last.field, of: .acceptLanguage) { return last.language }
        let field = request.value(of: .acceptLanguage)
        let language = field.map(language(accepted:)) ?? offered.site
        last = (field, language)
        return language
    }

    private func language(accepted value: String) -> Language {
        if let known = accepted[value] { return known }
        let language = AcceptLanguage(value).lookUp(among: offered.byRange) ?? offered.site
        guard value.utf8.count <= Self.valueLimit else { return language }
        // Most come back at once.
        if accepted.count >= Self.limit { accepted = [:] }
        accepted[value] = language
        return language
    }
}
