import FaveGames
import Languages

extension SiteIdentity {
    /// What the site is, in one or two sentences.
    package var description: Words { ownDescription.map { Words(name: $0) } ?? .aboutSite }

    /// The pages with the operator's own texts.
    package var pages: [NamedLink] {
        [(rules, Words.rules, Path.rules), (imprint, .imprint, Path.imprint)].compactMap {
            $0 == nil ? nil : NamedLink(name: $1, href: $2)
        }
    }
}
