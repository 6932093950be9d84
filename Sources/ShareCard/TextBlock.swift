import CPango

struct Font: Hashable, Sendable {
    /// In pixels.
    let size: Double
    let weight: Weight
    var isSerif = false

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

/// Some lines of text, laid out by Pango. Only the thread of its canvas may use it.
final class TextBlock {
    private let layout: OpaquePointer
    private let canvas: Canvas

    /// - Parameters:
    ///   - text: Plain text, never markup. It runs in its own direction, but is always aligned
    ///     left.
    ///   - width: Where lines wrap; `nil` for no limit.
    ///   - lines: The most lines; longer text ends in an ellipsis.
    init(
        _ text: String, _ font: Font, width: Double? = nil, lines: Int = 1, on canvas: Canvas
    ) throws(CardError) {
        guard let layout = pango_cairo_create_layout(canvas.context),
            let description = pango_font_description_new()
        else { throw CardError(description: "There is no memory for text.") }
        self.layout = layout
        self.canvas = canvas
        Self.configure(layout)
        pango_font_description_set_family(description, font.families)
        pango_font_description_set_absolute_size(
            description, font.size * Double(PANGO_SCALE))
        pango_font_description_set_weight(
            description, PangoWeight(rawValue: UInt32(font.weight.rawValue)))
        pango_layout_set_font_description(layout, description)
        pango_font_description_free(description)
        if let width {
            pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
            pango_layout_set_height(layout, Int32(-lines))
            pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
            pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            // No hyphen where a word is broken because it is longer than a line.
            let attributes = pango_attr_list_new()
            pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
            pango_layout_set_attributes(layout, attributes)
            pango_attr_list_unref(attributes)
        }
        pango_layout_set_text(layout, text, Int32(text.utf8.count))
        if pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL {
            // Pango swaps left and right in text whose direction differs from the context's.
            pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT)
        }
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Makes the text look the same on every machine that has the same fonts.
    private static func configure(_ layout: OpaquePointer) {
        let context = pango_layout_get_context(layout)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        pango_context_set_language(context, pango_language_from_string("en"))
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

    /// Whether all of the text is shown.
    var isWhole: Bool { pango_layout_is_ellipsized(layout) == 0 }

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
