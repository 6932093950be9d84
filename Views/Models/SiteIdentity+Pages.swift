import FaveGames

extension SiteIdentity {
    /// The pages with the operator's own texts.
    package var pages: [NamedLink] {
        [(rules, "Rules", Path.rules), (imprint, "Imprint", Path.imprint)].compactMap {
            $0 == nil ? nil : NamedLink(name: $1, href: $2)
        }
    }
}
