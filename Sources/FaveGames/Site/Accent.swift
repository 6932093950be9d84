/// The colour of links, buttons and the site's heart, in the shades that the places they are in need.
public struct Accent: Hashable, Sendable {
    /// In the light look, where the text on it is white.
    public let light: Color
    /// In the dark look.
    public let dark: Color
    /// Of the text on it in the dark look.
    public let onDark: Color
    /// Of the icon, which browsers show on light and on dark.
    public let icon: Color

    /// The accent of the stylesheets and icons in `Views/assets`.
    public static let standard = Accent(
        light: Color(0xB3124F), dark: Color(0xFF86AE), onDark: Color(0x2B0414),
        icon: Color(0xD81B60))

    // The backgrounds in `Views/assets/site.css`: pages, cards, and what is set into them.
    package static let lightGrounds = [Color(0xF6F5FA), Color(0xFFFFFF), Color(0xECE9F3)]
    package static let darkGrounds = [Color(0x13111C), Color(0x1D1A29), Color(0x2B263C)]

    /// The least contrast of text: WCAG 2.2, success criterion 1.4.3.
    static let textContrast = 4.5
    /// The least contrast of symbols: WCAG 2.2, success criterion 1.4.11.
    private static let symbolContrast = 3.0

    /// Derives the accent from its colour in the light look.
    ///
    /// - Throws: An error if text in this colour could not be read there, nor white text on it.
    public init(_ color: Color) throws(UnreadableColor) {
        if let error = UnreadableColor(color) { throw error }
        light = color
        dark = Self.lightened(color, until: Self.textContrast, with: Self.darkGrounds)
        // The text on it has the colour of the page, whose contrast has just been made sure of.
        onDark = Self.darkGrounds[0]
        icon = Self.lightened(color, until: Self.symbolContrast, with: [Self.darkGrounds[1]])
    }

    private init(light: Color, dark: Color, onDark: Color, icon: Color) {
        self.light = light
        self.dark = dark
        self.onDark = onDark
        self.icon = icon
    }

    /// The colour itself, or else the darkest lighter shade that has the contrast. White always does.
    private static func lightened(
        _ color: Color, until contrast: Double, with grounds: [Color]
    ) -> Color {
        let lighter = color.shades.lazy.filter { $0.lightness > color.lightness }
        return ([color] + lighter).first {
            $0.leastContrast(with: grounds).ratio >= contrast
        } ?? Color(0xFFFFFF)
    }
}

/// A colour that is too light for text on the backgrounds of the light look.
public struct UnreadableColor: Error, Hashable, Sendable {
    /// The background that contrasts least with the colour.
    public let ground: Color
    public let ratio: Double
    /// The nearest colour of the same hue that is dark enough.
    public let nearest: Color

    /// - Returns: `nil` if the colour is dark enough.
    fileprivate init?(_ color: Color) {
        (ground, ratio) = color.leastContrast(with: Accent.lightGrounds)
        guard ratio < Accent.textContrast else { return nil }
        nearest =
            color.shades.last {
                $0.leastContrast(with: Accent.lightGrounds).ratio >= Accent.textContrast
                    && $0.lightness < color.lightness
            } ?? Color(0)
    }
}

extension Color {
    fileprivate func leastContrast(with grounds: [Color]) -> (ground: Color, ratio: Double) {
        let contrasts = grounds.map { (ground: $0, ratio: contrast(with: $0)) }
        return contrasts.min { $0.ratio < $1.ratio } ?? (self, 1)
    }
}
