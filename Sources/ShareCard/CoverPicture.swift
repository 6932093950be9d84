import CPango
import CTurboJPEG

/// A decoded cover.
final class CoverPicture {
    /// Covers are 264×374. Anything much larger is not one, and would only take memory.
    static let sideLimit: Int32 = 1024

    let width: Int
    let height: Int
    /// Four bytes for each pixel, as cairo's CAIRO_FORMAT_RGB24 has them on little-endian machines.
    private var pixels: [UInt8]

    /// Decodes a JPEG. It comes from another server, so nothing about it is taken for granted.
    ///
    /// - Returns: `nil` if it is damaged, is no JPEG, or is too large.
    init?(jpeg: [UInt8]) {
        guard let decoder = tjInitDecompress() else { return nil }
        defer { tjDestroy(decoder) }
        guard let (width, height) = Self.size(of: jpeg, decoder) else { return nil }
        let size = UInt(jpeg.count)
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 4)
        // A progressive JPEG can have any number of scans, each as much work as a whole picture.
        let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS
        guard
            tjDecompress2(
                decoder, jpeg, size, &pixels, width, width * 4, height, Int32(TJPF_BGRX.rawValue),
                flags) == 0
        else { return nil }
        self.width = Int(width)
        self.height = Int(height)
        self.pixels = pixels
    }

    /// Whether these bytes are a JPEG of a cover's size, from its beginning to its end. Decodes no more
    /// than the header.
    static func isCover(_ jpeg: [UInt8]) -> Bool {
        // SOI and EOI, ITU-T T.81 table B.1.
        guard jpeg.starts(with: [0xFF, 0xD8]), jpeg.suffix(2) == [0xFF, 0xD9],
            let decoder = tjInitDecompress()
        else { return false }
        defer { tjDestroy(decoder) }
        return size(of: jpeg, decoder) != nil
    }

    /// The size that the header tells; `nil` if it isn't a cover's.
    private static func size(
        of jpeg: [UInt8], _ decoder: tjhandle
    ) -> (width: Int32, height: Int32)? {
        var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard
            tjDecompressHeader3(
                decoder, jpeg, UInt(jpeg.count), &width, &height, &sampling, &colors) == 0,
            (1...sideLimit).contains(width), (1...sideLimit).contains(height)
        else { return nil }
        return (width, height)
    }

    /// Calls `body` with the parts, from 0 to 255, of one in sixteen pixels.
    func eachSample(_ body: (_ red: Int, _ green: Int, _ blue: Int) -> Void) {
        for y in stride(from: 0, to: height, by: 4) {
            for x in stride(from: 0, to: width, by: 4) {
                let pixel = (y * width + x) * 4
                body(Int(pixels[pixel + 2]), Int(pixels[pixel + 1]), Int(pixels[pixel]))
            }
        }
    }

    /// Fills a box with the picture, and cuts off what is too wide or too high.
    func draw(in box: Box, on canvas: Canvas) {
        let scale = max(box.width / Double(width), box.height / Double(height))
        pixels.withUnsafeMutableBufferPointer { pixels in
            let surface = cairo_image_surface_create_for_data(
                pixels.baseAddress, CAIRO_FORMAT_RGB24, Int32(width), Int32(height),
                Int32(width * 4))
            // The surface refers to the pixels, and must not be used after this.
            defer {
                cairo_surface_finish(surface)
                cairo_surface_destroy(surface)
            }
            cairo_save(canvas.context)
            defer { cairo_restore(canvas.context) }
            cairo_rectangle(canvas.context, box.x, box.y, box.width, box.height)
            cairo_clip(canvas.context)
            cairo_translate(
                canvas.context, box.x + (box.width - Double(width) * scale) / 2,
                box.y + (box.height - Double(height) * scale) / 2)
            cairo_scale(canvas.context, scale, scale)
            cairo_set_source_surface(canvas.context, surface, 0, 0)
            cairo_pattern_set_filter(cairo_get_source(canvas.context), CAIRO_FILTER_BEST)
            cairo_paint(canvas.context)
        }
    }
}
