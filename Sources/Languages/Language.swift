import HTTP

/// A language that pages and mail can have. Each one but English has a catalogue, `Views/Languages`, and
/// its case is called by its tag (RFC 5646) without hyphens.
package enum Language: Hashable, CaseIterable, Sendable {
    case en, de, es, fr, ja, ko, ptBR, ru, zhHans
    #if DEBUG
        /// English with accents, brackets and more text, which tests read.
        case accented
        /// The same from right to left.
        case mirrored
    #endif

    /// For `lang` in HTML.
    package var tag: String {
        switch self {
        case .en: "en"
        case .de: "de"
        case .es: "es"
        case .fr: "fr"
        case .ja: "ja"
        case .ko: "ko"
        case .ptBR: "pt-BR"
        case .ru: "ru"
        case .zhHans: "zh-Hans"
        #if DEBUG
            // As in CLDR.
            case .accented: "en-XA"
            case .mirrored: "ar-XB"
        #endif
        }
    }

    /// What people who read the language may ask for besides its tag, as ranges of Accept-Language.
    ///
    /// Each range includes those with more subtags, such as pt-PT: there is no better Portuguese for its
    /// readers.
    package var otherRanges: [String] {
        switch self {
        case .ptBR: ["pt"]
        case .zhHans: ["zh"]
        default: []
        }
    }

    /// The ranges of Chinese in traditional characters, which is none of the languages: `zh` doesn't
    /// include them.
    package static let rangesOfNone = ["zh-Hant", "zh-TW", "zh-HK", "zh-MO"]

    /// The language with a tag, which is in capitals or not.
    package init?(tag: String) {
        let tag = tag.lowercased()
        guard let language = Self.allCases.first(where: { $0.tag.lowercased() == tag }) else {
            return nil
        }
        self = language
    }

    /// The language of a tag that may have more subtags, such as ja-JP (RFC 4647 §3.4); `nil` if there is
    /// none.
    package init?(closestTo tag: String) {
        guard let language = AcceptLanguage(tag).lookUp(among: Self.byRange) else { return nil }
        self = language
    }

    private static let byRange = OfferedLanguages(allCases).byRange

    /// The language's own name for itself.
    package var name: String {
        switch self {
        case .en: "English"
        case .de: "Deutsch"
        case .es: "Español"
        case .fr: "Français"
        case .ja: "日本語"
        case .ko: "한국어"
        case .ptBR: "Português (Brasil)"
        case .ru: "Русский"
        case .zhHans: "简体中文"
        #if DEBUG
            case .accented: "[Éñĝľîšĥ]"
            case .mirrored: "[ɥsᴉꞁƃuƎ]"
        #endif
        }
    }

    package var isRightToLeft: Bool {
        #if DEBUG
            return self == .mirrored
        #else
            return false
        #endif
    }

    /// The text between the items of a list, as in "A, B and C".
    package func separator(isLast: Bool) -> String { isLast ? rules.and : rules.comma }
}
