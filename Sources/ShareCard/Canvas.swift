import CPango
import CTurboJPEG
import FaveGames
import Glibc
import Languages
import Synchronization

/// A rectangle in pixels, from the top left.
struct Box: Hashable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var maxX: Double { x + width }
    var maxY: Double { y + height }
    var middle: Double { y + height / 2 }

    func inset(by distance: Double) -> Box {
        Box(
            x: x + distance, y: y + distance, width: width - 2 * distance,
            height: height - 2 * distance)
    }
}

/// What a shape is filled with.
enum Paint {
    case color(Color, alpha: Double = 1)
    /// The angle is in degrees, and means the same as in a stylesheet.
    case gradient(Color, Color, angle: Double, end: Double = 1)
}

/// A picture that is being drawn: cairo's surface and context.
final class Canvas {
    /// cairo shares fonts among all threads, and version 1.16 crashes in
    /// `cairo_scaled_font_glyph_extents` when several of them lay out text at once.
    private static let drawing = Mutex(())

    private let surface: OpaquePointer
    /// Valid as long as the canvas exists.
    let context: OpaquePointer
    /// The language whose shapes of letters are drawn.
    var language = Language.en
    /// The covers to draw, by their ids.
    var covers: [String: CoverPicture] = [:]

    /// Runs `body` with a new canvas, while no other thread draws. The canvas and all text on it end
    /// with `body`.
    ///
    /// - Throws: `CardError` if there is no memory for the picture, or what `body` throws.
    static func draw<Result>(
        width: Int, height: Int, _ body: (Canvas) throws(CardError) -> sending Result
    ) throws(CardError) -> sending Result {
        try drawing.withLock { _ throws(CardError) in
            try body(Canvas(width: width, height: height))
        }
    }

    private init(width: Int, height: Int) throws(CardError) {
        guard
            let surface = cairo_image_surface_create(
                CAIRO_FORMAT_RGB24, Int32(width), Int32(height)),
            let context = cairo_create(surface)
        else { throw CardError(description: "There is no picture to draw on.") }
        self.surface = surface
        self.context = context
        try check()
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    // MARK: Shapes

    func fill(_ box: Box, radius: Double = 0, _ paint: Paint) {
        outline(box, radius)
        fillPath(in: box, paint)
    }

    func stroke(_ box: Box, radius: Double, _ color: Color, width: Double, dashes: [Double] = []) {
        outline(
            Box(
                x: box.x + width / 2, y: box.y + width / 2, width: box.width - width,
                height: box.height - width), radius - width / 2)
        set(color)
        cairo_set_line_width(context, width)
        cairo_set_dash(context, dashes, Int32(dashes.count), 0)
        cairo_stroke(context)
    }

    func fillCircle(x: Double, y: Double, radius: Double, _ paint: Paint) {
        cairo_new_path(context)
        cairo_arc(context, x, y, radius, 0, 2 * .pi)
        fillPath(
            in: Box(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius), paint)
    }

    /// Fills rectangles without smoothing their edges, as pixels.
    func fillPixels(_ boxes: [Box], _ color: Color) {
        cairo_new_path(context)
        for box in boxes { cairo_rectangle(context, box.x, box.y, box.width, box.height) }
        cairo_set_antialias(context, CAIRO_ANTIALIAS_NONE)
        fillPath(in: Box(x: 0, y: 0, width: 0, height: 0), .color(color))
        cairo_set_antialias(context, CAIRO_ANTIALIAS_DEFAULT)
    }

    /// Runs `body`, and shows what it draws only inside a box with rounded corners.
    func clipped(to box: Box, radius: Double = 0, _ body: () throws(CardError) -> Void)
        throws(CardError)
    {
        cairo_save(context)
        defer { cairo_restore(context) }
        outline(box, radius)
        cairo_clip(context)
        try body()
    }

    func set(_ color: Color, alpha: Double = 1) {
        cairo_set_source_rgba(context, color.red, color.green, color.blue, alpha)
    }

    func move(to x: Double, _ y: Double) { cairo_move_to(context, x, y) }

    private func outline(_ box: Box, _ radius: Double) {
        cairo_new_path(context)
        guard radius > 0 else {
            return cairo_rectangle(context, box.x, box.y, box.width, box.height)
        }
        let quarter = Double.pi / 2
        let (left, top) = (box.x + radius, box.y + radius)
        let (right, bottom) = (box.maxX - radius, box.maxY - radius)
        cairo_arc(context, right, top, radius, -quarter, 0)
        cairo_arc(context, right, bottom, radius, 0, quarter)
        cairo_arc(context, left, bottom, radius, quarter, 2 * quarter)
        cairo_arc(context, left, top, radius, 2 * quarter, 3 * quarter)
        cairo_close_path(context)
    }

    private func fillPath(in box: Box, _ paint: Paint) {
        switch paint {
        case .color(let color, let alpha):
            set(color, alpha: alpha)
            cairo_fill(context)
        case .gradient(let first, let last, let angle, let end):
            let pattern = Self.gradient(in: box, first, last, angle: angle, end: end)
            cairo_set_source(context, pattern)
            cairo_fill(context)
            cairo_pattern_destroy(pattern)
        }
    }

    private static func gradient(
        in box: Box, _ first: Color, _ last: Color, angle: Double, end: Double
    ) -> OpaquePointer? {
        // CSS Images 3, section 3.1.1: the gradient line goes through the middle, and is just long
        // enough for the corners to have the colours of its ends.
        let radians = angle * .pi / 180
        let (sine, cosine) = (sin(radians), cos(radians))
        let half = (abs(box.width * sine) + abs(box.height * cosine)) / 2
        let (x, y) = (box.x + box.width / 2, box.middle)
        let pattern = cairo_pattern_create_linear(
            x - sine * half, y + cosine * half, x + sine * half, y - cosine * half)
        cairo_pattern_add_color_stop_rgb(pattern, 0, first.red, first.green, first.blue)
        cairo_pattern_add_color_stop_rgb(pattern, end, last.red, last.green, last.blue)
        return pattern
    }

    // MARK: Encodings

    /// The finished picture as a JPEG.
    ///
    /// - Throws: `CardError` if anything failed while drawing or encoding.
    func jpeg() throws(CardError) -> [UInt8] {
        try check()
        cairo_surface_flush(surface)
        guard let pixels = cairo_image_surface_get_data(surface), let encoder = tjInitCompress()
        else { throw CardError(description: "There is no memory for the picture's encoder.") }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer {
            tjFree(bytes)
            tjDestroy(encoder)
        }
        // The edges of coloured letters would blur if colours had fewer samples than brightness.
        let status = tjCompress2(
            encoder, pixels, cairo_image_surface_get_width(surface),
            cairo_image_surface_get_stride(surface), cairo_image_surface_get_height(surface),
            Int32(TJPF_BGRX.rawValue), &bytes, &count, Int32(TJSAMP_444.rawValue), Self.quality, 0)
        guard status == 0, let bytes else {
            throw CardError(description: "The picture could not be encoded.")
        }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// Of JPEGs, up to 100. Services that people post to compress pictures again, so it is high.
    private static let quality: Int32 = 90

    /// The finished picture as a PNG.
    ///
    /// - Throws: `CardError` if anything failed while drawing or writing.
    func png() throws(CardError) -> [UInt8] {
        try check()
        var bytes: [UInt8] = []
        // cairo calls the closure only before this call returns, so the pointer to `bytes` is still
        // valid there.
        let status = withUnsafeMutablePointer(to: &bytes) { bytes in
            cairo_surface_write_to_png_stream(
                surface,
                { target, part, count in
                    guard let target, let part else { return CAIRO_STATUS_WRITE_ERROR }
                    target.assumingMemoryBound(to: [UInt8].self).pointee.append(
                        contentsOf: UnsafeBufferPointer(start: part, count: Int(count)))
                    return CAIRO_STATUS_SUCCESS
                }, bytes)
        }
        try Self.check(status)
        return bytes
    }

    private func check() throws(CardError) {
        try Self.check(cairo_status(context))
        try Self.check(cairo_surface_status(surface))
    }

    private static func check(_ status: cairo_status_t) throws(CardError) {
        guard status != CAIRO_STATUS_SUCCESS else { return }
        let reason = cairo_status_to_string(status).map { String(cString: $0) } ?? "unknown"
        throw CardError(description: "The picture could not be drawn: \(reason).")
    }
}
