/// A language that pages and mail can have. Each one but English has a catalogue, `Views/Languages`, and
/// its case is called by its tag (RFC 5646) without hyphens.
package enum Language: Hashable, CaseIterable, Sendable {
    case en
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
        #if DEBUG
            // As in CLDR.
            case .accented: "en-XA"
            case .mirrored: "ar-XB"
        #endif
        }
    }

    /// The language with a tag, which is in capitals or not.
    package init?(tag: String) {
        let tag = tag.lowercased()
        guard let language = Self.allCases.first(where: { $0.tag.lowercased() == tag }) else {
            return nil
        }
        self = language
    }

    /// Those with a translation of every message.
    package static let complete: [Language] = [.en]

    /// The language's own name for itself.
    package var name: String {
        switch self {
        case .en: "English"
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
    package func separator(isLast: Bool) -> String { isLast ? " and " : ", " }
}
