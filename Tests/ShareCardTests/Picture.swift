import CPango
import CTurboJPEG
import Glibc
import TestSupport

@testable import ShareCard

/// A PNG as cairo reads it.
struct Picture: Equatable {
    let width: Int
    let height: Int
    /// 0x00RRGGBB, row by row. The first byte has any value.
    private let pixels: [UInt32]

    static let background: UInt32 = 0xF6F5FA

    init(_ png: [UInt8]) throws {
        let surface = png.withUnsafeBytes { bytes in
            var rest = bytes[...]
            return withUnsafeMutablePointer(to: &rest) { rest in
                cairo_image_surface_create_from_png_stream(
                    { source, target, count in
                        guard let source, let target else { return CAIRO_STATUS_READ_ERROR }
                        let rest = source.assumingMemoryBound(
                            to: Slice<UnsafeRawBufferPointer>.self)
                        guard rest.pointee.count >= count else { return CAIRO_STATUS_READ_ERROR }
                        let part = UnsafeRawBufferPointer(rebasing: rest.pointee.prefix(Int(count)))
                        if let start = part.baseAddress { memcpy(target, start, part.count) }
                        rest.pointee.removeFirst(Int(count))
                        return CAIRO_STATUS_SUCCESS
                    }, rest)
            }
        }
        defer { cairo_surface_destroy(surface) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
            let data = cairo_image_surface_get_data(surface)
        else { throw TestFailure("no PNG") }
        let width = Int(cairo_image_surface_get_width(surface))
        let height = Int(cairo_image_surface_get_height(surface))
        let stride = Int(cairo_image_surface_get_stride(surface))
        pixels = Array(unsafeUninitializedCapacity: width * height) { pixels, count in
            guard let start = pixels.baseAddress else { return }
            for y in 0..<height { memcpy(start + y * width, data + y * stride, 4 * width) }
            count = width * height
        }
        (self.width, self.height) = (width, height)
    }

    /// How many pixels of a part are of a colour that passes.
    func count(in box: Box, where passes: (UInt32) -> Bool) -> Int {
        let columns = max(0, Int(box.x))..<min(width, Int(box.maxX))
        var count = 0
        pixels.withUnsafeBufferPointer { pixels in
            for y in max(0, Int(box.y))..<min(height, Int(box.maxY)) {
                for x in columns where passes(pixels[y * width + x] & 0xFFFFFF) { count += 1 }
            }
        }
        return count
    }

    /// How many pixels of a part are dark, as text is.
    func inkCount(in box: Box) -> Int {
        count(in: box) { ($0 >> 16) < 0x60 && ($0 >> 8 & 0xFF) < 0x60 }
    }

    /// Whether nothing at all is drawn in a part.
    func isEmpty(in box: Box) -> Bool { count(in: box) { $0 != Self.background } == 0 }
}

/// Width and height as a PNG's first chunk has them, and whether it ends as it must.
struct PNGHead: Equatable {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init?(_ png: [UInt8]) {
        guard png.count > 45, png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            png[12..<16].elementsEqual("IHDR".utf8),
            png[png.count - 8..<png.count - 4]
                .elementsEqual("IEND".utf8)
        else { return nil }
        func number(at index: Int) -> Int {
            png[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        width = number(at: 16)
        height = number(at: 20)
    }
}

/// Width and height as a JPEG's header has them.
struct JPEGHead: Equatable {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init?(_ jpeg: [UInt8]) {
        guard let decoder = tjInitDecompress() else { return nil }
        defer { tjDestroy(decoder) }
        var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard
            tjDecompressHeader3(
                decoder, jpeg, UInt(jpeg.count), &width, &height, &sampling, &colors) == 0
        else { return nil }
        self.init(width: Int(width), height: Int(height))
    }
}
