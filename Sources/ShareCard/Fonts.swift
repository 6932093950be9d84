/// The fonts of this machine, which cards are drawn with.
package enum Fonts {
    /// Whether they have all characters of a text. Blocks the thread while another one draws.
    package static func have(_ text: String) -> Bool {
        let count = try? Canvas.draw(width: 10, height: 10) { canvas throws(CardError) in
            try TextBlock(text, Font(size: 20, weight: .bold), on: canvas).unknownGlyphCount
        }
        return count == 0
    }
}
