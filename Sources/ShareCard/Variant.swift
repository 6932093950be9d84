import FaveGames

extension ShareCard {
    /// What a picture is made for, and so its shape.
    public enum Format: String, CaseIterable, Sendable {
        /// For link previews.
        case wide
        /// For a post.
        case portrait
        /// Fills the screen of a phone.
        case story
        /// Covers and hardly a word.
        case poster

        /// In pixels.
        public var width: Int { self == .wide ? 1200 : 1080 }

        /// In pixels.
        public var height: Int {
            switch self {
            case .wide: 630
            case .portrait: 1350
            case .story: 1920
            case .poster: 1440
            }
        }

        /// The themes to choose from. A link has only one preview.
        public var themes: [Theme] { self == .wide ? [.light] : Theme.allCases }

        /// Covers fill most of the tall formats: as a PNG, they would be many times as large.
        public var encoding: Encoding { self == .wide ? .png : .jpeg }

        /// Of how many entries the format has room for the whys.
        func whyCount(of entryCount: Int) -> Int {
            switch self {
            // Rows of two entries have room for both.
            case .wide: entryCount > 2 ? 1 : entryCount
            case .portrait, .story: 1
            case .poster: 0
            }
        }
    }

    public enum Theme: String, CaseIterable, Sendable {
        case light
        case dark
    }

    public enum Encoding: Sendable {
        case png
        case jpeg
    }

    /// A format in one of its themes.
    public struct Variant: Hashable, Sendable, CaseIterable {
        public let format: Format
        public let theme: Theme

        public static let wide = Variant(.wide)

        public static let allCases = Format.allCases.flatMap { format in
            format.themes.map { Variant(format, $0) }
        }

        /// - Parameter theme: One of the format's themes.
        public init(_ format: Format, _ theme: Theme = .light) {
            self.format = format
            self.theme = theme
        }
    }
}
