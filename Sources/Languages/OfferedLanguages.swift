/// The languages that a site has its pages in.
package struct OfferedLanguages: Sendable {
    /// The one for people who ask for none of them.
    package let site: Language
    package let all: [Language]
    /// Whether there is anything to choose.
    package let areSeveral: Bool
    /// The language for each range of Accept-Language, in lower case. It is `nil` for a range that a
    /// shorter one includes although the site offers nothing for it, such as Traditional Chinese.
    package let byRange: [String: Language?]

    /// - Parameter all: Must contain the site's own.
    package init(site: Language = .en, _ all: [Language] = [.en]) {
        precondition(all.contains(site), "the site's own language is not offered")
        self.site = site
        self.all = all
        areSeveral = all.count > 1
        var byRange: [String: Language?] = [:]
        for range in Language.rangesOfNone { byRange.updateValue(nil, forKey: range.lowercased()) }
        for language in all {
            for range in [language.tag] + language.otherRanges {
                byRange[range.lowercased()] = language
            }
        }
        self.byRange = byRange
    }

    /// The language of an account's mail and pictures: the one in its settings, if it is offered, or the
    /// site's.
    package func language(ofAccount tag: String?) -> Language {
        tag.flatMap { self[$0] } ?? site
    }

    /// The language with a tag, if it is offered.
    package subscript(tag: String) -> Language? {
        Language(tag: tag).flatMap { all.contains($0) ? $0 : nil }
    }
}
