import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Views

/// Where links to other languages lead: the browser remembers the choice, and returns to the page.
enum LanguagePage {
    private static let path = "/language"

    static let routes = [
        Route(
            .get, path, .page, takes: .text("to"), .text("return"), returns: .response,
            caching: .never, crawling: .disallowed
        ) { context, tag, returnPath in
            let settings = context.services.settings
            var response = Response.seeOther(ReturnPath.parse(returnPath, to: .anyPage) ?? "/")
            if let language = tag.flatMap({ settings.languages[$0] }) {
                response.headerFields.append(
                    Cookie.language.setting(
                        language.tag, maximumAge: lifetime, at: settings.cookieSite))
            }
            return response
        }
    ]

    private static let lifetime = Duration.seconds(365 * 86_400)

    /// Links to all languages that are offered; none if there is only one.
    static func links(_ context: PageContext) -> [LanguageLink] {
        let languages = context.services.settings.languages
        guard languages.areSeveral else { return [] }
        // The account's language is preferred to the browser's.
        let isAccounts = context.visitor?.user.language.flatMap { languages[$0] } != nil
        let back = context.address.map { "&return=" + PercentCoding.encodeQueryValue($0) } ?? ""
        return languages.all.map { language in
            LanguageLink(
                language, isAccounts ? "/settings#language" : "\(path)?to=\(language.tag)\(back)")
        }
    }
}
