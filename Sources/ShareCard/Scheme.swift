import FaveGames

/// The colours of a tall card. Number one's cover gives them their hue; their luminance depends on the
/// theme alone, so that text is readable whatever the hue.
struct Scheme: Sendable {
    /// The background, from top to bottom.
    let ground: (top: Color, bottom: Color)
    /// Behind the foot.
    let band: Color
    let ink: Color
    let soft: Color

    init(_ theme: ShareCard.Theme, of hue: Color) {
        switch theme {
        case .light:
            // A tint needs white in it. Yellow alone would be as bright as the background.
            let vivid = hue.vivid.mixed(withGrey: 0.25)
            let tint = vivid.with(luminance: min(vivid.luminance, 0.6))
            ground = (tint.with(luminance: 0.76), tint.with(luminance: 0.66))
            band = tint.with(luminance: 0.55)
            let shade = hue.mixed(withGrey: 0.5)
            ink = shade.with(luminance: 0.008)
            soft = shade.with(luminance: 0.06)
        case .dark:
            // Pure blue is dark itself, and would glare.
            let shade = hue.mixed(withGrey: 0.4)
            ground = (shade.with(luminance: 0.045), shade.with(luminance: 0.022))
            band = shade.with(luminance: 0.07)
            ink = shade.with(luminance: 0.92)
            soft = shade.with(luminance: 0.6)
        }
    }
}
