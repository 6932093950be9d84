import Encodings
import Foundation

/// A colour without transparency.
public struct Color: Hashable, Sendable, CustomStringConvertible {
    // From 0 to 1, in sRGB.
    public let red: Double
    public let green: Double
    public let blue: Double

    /// - Parameter hexadecimal: As in a stylesheet, 0xRRGGBB.
    public init(_ hexadecimal: Int) {
        red = Double(hexadecimal >> 16 & 0xFF) / 255
        green = Double(hexadecimal >> 8 & 0xFF) / 255
        blue = Double(hexadecimal & 0xFF) / 255
    }

    /// Reads a colour as a stylesheet writes it, such as `#0b6b57`.
    public init?(_ text: String) {
        let digits = text.dropFirst()
        guard text.first == "#",
            digits.consists(of: { Hexadecimal.value(of: $0) != nil }, bytes: 6...6),
            let number = Int(digits, radix: 16)
        else { return nil }
        self.init(number)
    }

    /// The three parts, from 0 to 255.
    public var bytes: [UInt8] { [red, green, blue].map { UInt8(($0 * 255).rounded()) } }

    public var description: String { "#" + Hexadecimal.encode(bytes) }

    // MARK: Contrast

    /// The relative luminance of WCAG 2.2, from 0 for black to 1 for white.
    public var luminance: Double {
        0.2126 * Self.light(red) + 0.7152 * Self.light(green) + 0.0722 * Self.light(blue)
    }

    /// The amount of light of a part, which eyes see as brighter than it is.
    private static func light(_ part: Double) -> Double {
        part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }

    /// The contrast ratio of WCAG 2.2, from 1 for equal colours to 21 for black and white.
    public func contrast(with other: Color) -> Double {
        let (one, another) = (luminance, other.luminance)
        return (max(one, another) + 0.05) / (min(one, another) + 0.05)
    }

    // MARK: Light

    /// The colour in another luminance: with less light, or with white light added.
    package func with(luminance: Double) -> Color {
        let own = self.luminance
        let scale = own > luminance ? luminance / own : 1
        let white = own < luminance ? (luminance - own) / (1 - own) : 0
        return mapLight { $0 * scale * (1 - white) + white }
    }

    /// The colour with the most light that it can have without becoming paler.
    package var vivid: Color {
        let most = Self.light(max(red, green, blue))
        return most > 0 ? mapLight { $0 / most } : self
    }

    /// The colour with a part of its light replaced by grey of the same luminance.
    package func mixed(withGrey part: Double) -> Color {
        let luminance = luminance
        return mapLight { $0 * (1 - part) + luminance * part }
    }

    private func mapLight(_ change: (Double) -> Double) -> Color {
        let bytes = [red, green, blue].map { part in
            let light = change(Self.light(part))
            let part = light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            return Int((min(max(part, 0), 1) * 255).rounded())
        }
        return Color(bytes[0] << 16 | bytes[1] << 8 | bytes[2])
    }

    // MARK: Lightness

    /// Black, white, and the colours between them that have the hue and the saturation of this one, from
    /// dark to light.
    var shades: [Color] { (0...255).map { with(lightness: Double($0) / 255) } }

    /// The lightness of HSL.
    var lightness: Double { (max(red, green, blue) + min(red, green, blue)) / 2 }

    /// The colour of the same hue and saturation with another lightness of HSL.
    private func with(lightness: Double) -> Color {
        // In HSL, the parts differ from the lightness in the same proportions, and reach as far as the
        // lightness lets them.
        func reach(_ lightness: Double) -> Double { min(lightness, 1 - lightness) }
        let own = reach(self.lightness)
        let scale = own > 0 ? reach(lightness) / own : 0
        func part(_ value: Double) -> Int {
            Int(((lightness + (value - self.lightness) * scale) * 255).rounded())
        }
        return Color(part(red) << 16 | part(green) << 8 | part(blue))
    }
}
