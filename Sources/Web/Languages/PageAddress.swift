import Endpoints
import HTTP
import Languages
import Views

/// The address of a page in each of the site's languages.
enum PageAddress {
    /// The name of the parameter with the language's tag.
    static let languageName = "lang"

    /// A page's address in a language.
    ///
    /// - Parameter address: Without a language.
    static func appending(_ language: Language, to address: String) -> String {
        address + (address.contains("?") ? "&" : "?") + "\(languageName)=\(language.tag)"
    }

    /// A target's path and query without the language.
    static func withoutLanguage(_ target: RequestTarget) -> String {
        guard let query = target.query else { return target.path }
        let others = query.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
            .filter { (try? FormItems(parsing: $0))?[languageName] == nil }
        return others.isEmpty ? target.path : "\(target.path)?\(others.joined(separator: "&"))"
    }
}

extension PageModel {
    /// Tells search engines the page's addresses in all languages.
    mutating func nameAlternates(_ settings: WebSettings) {
        guard settings.languages.areSeveral, isIndexed, let canonical else { return }
        alternates = settings.languages.all.map {
            LanguageLink($0, PageAddress.appending($0, to: canonical))
        }
    }
}
