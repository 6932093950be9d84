import FaveGames

/// The colours of the light theme in `Views/assets/site.css`, under the same names. The accent is the site's.
enum Palette {
    static let background = Color(0xF6F5FA)
    static let card = Color(0xFFFFFF)
    static let ink = Color(0x1B1726)
    static let soft = Color(0x5B5570)
    static let line = Color(0xDFDBE9)
    static let sunk = Color(0xECE9F3)
    static let edge = Color(0x857D9B)
    static let gold = Color(0x855600)
    static let goldWash = Color(0xFFF4D6)
    static let goldLine = Color(0xEAC867)

    /// The two ends of the gradient behind a placeholder, by its hue.
    static let hues: [(Color, Color)] = [
        (Color(0x7C3AED), Color(0x3B1A86)), (Color(0xC2410C), Color(0x6A1E08)),
        (Color(0x0F766E), Color(0x083D41)), (Color(0xBE185D), Color(0x660C3A)),
        (Color(0x1D4ED8), Color(0x142766)), (Color(0x4D7C0F), Color(0x243F0B)),
        (Color(0xA21CAF), Color(0x4D0F63)), (Color(0x0E7490), Color(0x0C3350)),
    ]
}
