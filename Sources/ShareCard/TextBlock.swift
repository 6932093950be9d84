import CPango
import FaveGames
import Languages

struct Font: Hashable, Sendable {
    /// In pixels.
    let size: Double
    let weight: Weight
    var isSerif = false
    /// Whether lines are closer to each other than the font wants.
    var isTight = false

    enum Weight: Int {
        case regular = 400
        case medium = 500
        case semibold = 600
        case bold = 700
        case extraBold = 800
    }

    /// The site's fonts that Debian provides, then the system's sans-serif font. For characters
    /// that these lack, fontconfig finds other fonts automatically.
    fileprivate var families: String {
        isSerif
            ? "Source Serif 4, Charter, Noto Serif, DejaVu Serif, serif"
            : size >= 28
                ? "Inter Display, Inter, Noto Sans, DejaVu Sans, sans-serif"
                : "Inter, Noto Sans, DejaVu Sans, sans-serif"
    }
}

enum Alignment {
    case left
    /// Left or right, as is usual in the text's language.
    case natural
}

/// Some lines of text, laid out by Pango. Only the thread of its canvas may use it.
final class TextBlock {
    let font: Font
    private let text: String
    private let alignment: Alignment
    private let layout: OpaquePointer
    private let canvas: Canvas

    /// Whether all of the text is shown.
    private(set) var isWhole = true

    /// Whether a word is broken because it is longer than a line.
    private(set) var breaksWord = false

    /// - Parameters:
    ///   - text: Plain text, never markup. It runs in its own direction.
    ///   - alignment: Where lines begin that are shorter than the width.
    ///   - width: Where lines wrap; `nil` for no limit.
    ///   - lines: The most lines; longer text ends in an ellipsis, after a word if possible.
    ///   - isCut: Whether it does. Otherwise the block only tells that it isn't whole, which is much less
    ///     work, and isn't to be drawn.
    init(
        _ text: String, _ font: Font, _ alignment: Alignment = .left, width: Double? = nil,
        lines: Int = 1, isCut: Bool = true, on canvas: Canvas
    ) throws(CardError) {
        guard let layout = pango_cairo_create_layout(canvas.context),
            let description = pango_font_description_new()
        else { throw CardError(description: "There is no memory for text.") }
        self.font = font
        self.text = text
        self.alignment = alignment
        self.layout = layout
        self.canvas = canvas
        Self.configure(layout, in: canvas.language)
        pango_font_description_set_family(description, font.families)
        pango_font_description_set_absolute_size(
            description, font.size * Double(PANGO_SCALE))
        pango_font_description_set_weight(
            description, PangoWeight(rawValue: UInt32(font.weight.rawValue)))
        pango_layout_set_font_description(layout, description)
        pango_font_description_free(description)
        if font.isTight { pango_layout_set_line_spacing(layout, 0.86) }
        set(text)
        if alignment == .left, isRightToLeft {
            // Pango swaps left and right in text whose direction differs from the context's.
            pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT)
        }
        if let width {
            pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
            // No hyphen where a word is broken.
            let attributes = pango_attr_list_new()
            pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
            pango_layout_set_attributes(layout, attributes)
            pango_attr_list_unref(attributes)
            pango_layout_set_wrap(layout, PANGO_WRAP_WORD)
            breaksWord = size.width > width + 1
            if breaksWord { pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR) }
            if lineCount > lines {
                isWhole = false
                guard isCut else { return }
                cut(text, to: lines)
            }
            // Pango can cut where it can't wrap, such as within an emoji that never ends.
            if size.width > width + 1 {
                isWhole = false
                pango_layout_set_height(layout, -1)
                pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            }
        }
    }

    /// The same lines in the least width that makes no more of them, so that none is much shorter than
    /// the others.
    ///
    /// - Parameter width: Where lines wrap now.
    func balanced(within width: Double) throws(CardError) -> TextBlock {
        // Lines that begin on the right must keep their width.
        guard lineCount > 1, isWhole, !breaksWord, alignment == .left || !isRightToLeft else {
            return self
        }
        var best = self
        var (least, most) = (width / 2, width)
        for _ in 1...5 {
            let middle = (least + most) / 2
            let narrower = try TextBlock(
                text, font, alignment, width: middle, lines: lineCount, isCut: false, on: canvas)
            if narrower.isWhole, !narrower.breaksWord {
                (best, most) = (narrower, middle)
            } else {
                least = middle
            }
        }
        return best
    }

    private func set(_ text: String) {
        pango_layout_set_text(layout, text, Int32(text.utf8.count))
    }

    /// Shows as many words as fit, or as many characters if the first word doesn't fit, and an
    /// ellipsis.
    private func cut(_ text: String, to lines: Int) {
        if !cut(text, at: text.wordEnds, lines) { _ = cut(text, at: Array(text.indices), lines) }
    }

    /// - Parameter ends: Where the text may end, in order.
    /// - Returns: `false` if even the first end is too far; then only an ellipsis is shown.
    private func cut(_ text: String, at ends: [String.Index], _ lines: Int) -> Bool {
        var fitting = 0..<ends.count
        while !fitting.isEmpty {
            let middle = fitting.lowerBound + fitting.count / 2
            set(text[..<ends[middle]].withEllipsis)
            if pango_layout_get_line_count(layout) <= lines {
                fitting = middle + 1..<fitting.upperBound
            } else {
                fitting = fitting.lowerBound..<middle
            }
        }
        let count = fitting.lowerBound
        set(count > 0 ? text[..<ends[count - 1]].withEllipsis : "…")
        return count > 0
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Makes the text look the same on every machine that has the same fonts.
    private static func configure(_ layout: OpaquePointer, in language: Language) {
        let context = pango_layout_get_context(layout)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        // Fonts are for countries, and not for scripts.
        pango_context_set_language(
            context, pango_language_from_string(language == .zhHans ? "zh-cn" : language.tag))
    }

    /// The room that the text takes, with the space that its fonts want around it.
    var size: (width: Double, height: Double) {
        var logical = PangoRectangle()
        pango_layout_get_extents(layout, nil, &logical)
        return (
            Double(logical.x + logical.width) / Double(PANGO_SCALE),
            Double(logical.height) / Double(PANGO_SCALE)
        )
    }

    var isRightToLeft: Bool { pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL }

    var lineCount: Int { Int(pango_layout_get_line_count(layout)) }

    /// How many characters are in none of the machine's fonts.
    var unknownGlyphCount: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

    func draw(x: Double, y: Double, _ color: Color) {
        canvas.set(color)
        canvas.move(to: x, y)
        pango_cairo_show_layout(canvas.context, layout)
    }

    /// Draws the text so that the middle of its visible part is at the point.
    func draw(centredAt x: Double, _ y: Double, _ color: Color) {
        var ink = PangoRectangle()
        pango_layout_get_extents(layout, &ink, nil)
        draw(
            x: x - (Double(ink.x) + Double(ink.width) / 2) / Double(PANGO_SCALE),
            y: y - (Double(ink.y) + Double(ink.height) / 2) / Double(PANGO_SCALE), color)
    }
}

extension String {
    /// Where the text may end without cutting a word.
    var wordEnds: [Index] {
        indices.dropFirst().filter { index in
            self[index].isWhitespace && !self[self.index(before: index)].isWhitespace
                || self[index].isWithoutSpaces || self[self.index(before: index)].isWithoutSpaces
        }
    }
}

extension Substring {
    /// The text with an ellipsis, without the space and punctuation before it.
    var withEllipsis: String {
        var text = self
        while let last = text.last, last.isWhitespace || ".,;:…–—-".contains(last) {
            text.removeLast()
        }
        return text + "…"
    }
}

extension Character {
    /// Whether the character belongs to a script that has no spaces between words, such as Chinese.
    fileprivate var isWithoutSpaces: Bool {
        guard let scalar = unicodeScalars.first, !scalar.isASCII else { return false }
        return switch scalar.value {
        // Thai and Lao, Burmese, Khmer, kana.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF: true
        default: scalar.properties.isIdeographic
        }
    }
}
