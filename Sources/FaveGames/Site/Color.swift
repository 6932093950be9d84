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
        func linear(_ part: Double) -> Double {
            part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio of WCAG 2.2, from 1 for equal colours to 21 for black and white.
    public func contrast(with other: Color) -> Double {
        let (one, another) = (luminance, other.luminance)
        return (max(one, another) + 0.05) / (min(one, another) + 0.05)
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
