import CTurboJPEG
import TestSupport

enum TestCover {
    typealias Parts = (UInt8, UInt8, UInt8)

    /// A JPEG of one colour.
    ///
    /// - Parameter stripe: The colour of its upper fifth, if that has another.
    static func jpeg(
        width: Int32 = 264, height: Int32 = 374, _ color: Parts = (200, 30, 40),
        stripe: Parts? = nil, flags: Int32 = 0
    ) throws -> [UInt8] {
        guard let encoder = tjInitCompress() else { throw TestFailure("no encoder") }
        defer { tjDestroy(encoder) }
        let pixels = (0..<Int(width * height)).flatMap { index in
            let color = index < Int(width * height) / 5 ? stripe ?? color : color
            return [color.0, color.1, color.2]
        }
        var bytes: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        let status = tjCompress2(
            encoder, pixels, width, 0, height, Int32(TJPF_RGB.rawValue), &bytes, &size,
            Int32(TJSAMP_444.rawValue), 95, flags)
        defer { tjFree(bytes) }
        guard status == 0 else { throw TestFailure("no JPEG") }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }
}
