import CQREncode

/// A text as a QR code, ISO/IEC 18004, for a phone's camera.
public struct QRCode: Hashable, Sendable {
    /// The longest text. Codes of longer ones have so many modules that cameras hardly read them from a
    /// screen.
    static let limit = 300

    /// The width and height in modules, with the light margin that cameras need.
    public let side: Int
    /// The dark modules as the data of an SVG path, to be drawn with a line one module wide.
    public let path: String

    /// In modules, as the standard has it.
    private static let margin = 4

    /// - Returns: `nil` if the text is too long.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.limit).contains(bytes.count),
            // The smallest version that has room, and 15 % of the code may be lost.
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        side = width + 2 * Self.margin
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                let start = x
                // The lowest bit tells dark from light.
                let isDark = modules[y * width + x] & 1 == 1
                while x < width, (modules[y * width + x] & 1 == 1) == isDark { x += 1 }
                guard isDark else { continue }
                path += "M\(start + Self.margin) \(y + Self.margin).5h\(x - start)"
            }
        }
        self.path = path
    }
}
