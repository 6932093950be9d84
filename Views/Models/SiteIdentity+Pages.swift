import FaveGames
import Languages

extension SiteIdentity {
    /// The pages with the operator's own texts.
    package var pages: [NamedLink] {
        [(rules, Words.rules, Path.rules), (imprint, .imprint, Path.imprint)].compactMap {
            $0 == nil ? nil : NamedLink(name: $1, href: $2)
        }
    }
}
