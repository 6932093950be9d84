/// A language that pages and mail can have. Each one but English has a catalogue, `Views/Languages`, and
/// its case is called by its tag (RFC 5646) without hyphens.
package enum Language: Hashable, Sendable {
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

    package var isRightToLeft: Bool {
        #if DEBUG
            return self == .mirrored
        #else
            return false
        #endif
    }

    /// What stands between the items of a list, as in "A, B and C".
    package func separator(isLast: Bool) -> String { isLast ? " and " : ", " }
}
