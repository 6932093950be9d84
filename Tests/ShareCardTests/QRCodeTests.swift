import Testing

@testable import ShareCard

@Suite("A QR code")
struct QRCodeTests {
    @Test(
        "says the text to whoever reads it",
        arguments: [
            "https://fave.example/@rob", "http://127.0.0.1:8080/@a", "x",
            "https://games.fave-games.example/@llllllllllllllllllllllllllllll/2026",
            "https://b\u{FC}cher.example/@rob",
        ])
    func reads(text: String) throws {
        let code = try #require(QRCode(text))
        #expect(QRReader(code).text == text)
    }

    @Test("has a light margin all around, and no more modules than it needs")
    func margin() throws {
        let code = try #require(QRCode("https://fave.example/@rob"))
        #expect(code.side == 25 + 8)
        let reader = QRReader(code)
        for place in 0..<code.side {
            for edge in [0, 3, code.side - 4, code.side - 1] {
                #expect(!reader.isDark(place, edge) && !reader.isDark(edge, place))
            }
        }
        #expect(reader.isDark(4, 4) && reader.isDark(code.side - 5, 4))
    }

    @Test("is not made of a text that is too long, or of none")
    func bounds() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 300)) != nil)
        #expect(QRCode(String(repeating: "x", count: 301)) == nil)
    }
}

/// Reads a QR code of ISO/IEC 18004 that has no damage, up to version 5 with error correction M. It shares
/// nothing with what makes the codes.
private struct QRReader {
    private var dark: Set<Int> = []
    private let side: Int
    private var width: Int { side - 8 }

    init(_ code: QRCode) {
        side = code.side
        for run in code.path.matches(of: /M(\d+) (\d+)\.5h(\d+)/) {
            guard let x = Int(run.1), let y = Int(run.2), let length = Int(run.3) else { continue }
            for x in x..<x + length { dark.insert(y * side + x) }
        }
    }

    func isDark(_ x: Int, _ y: Int) -> Bool { dark.contains(y * side + x) }

    private func module(_ x: Int, _ y: Int) -> Bool { isDark(x + 4, y + 4) }

    /// Whether a module is part of a pattern or of the format, and not of the data.
    private func isFixed(_ x: Int, _ y: Int) -> Bool {
        let far = width - 9
        if x == 6 || y == 6 { return true }
        if x <= 8 && y <= 8 || x > far && y <= 8 || x <= 8 && y > far { return true }
        // The one alignment pattern of versions 2 to 5.
        return width > 21 && abs(x - (width - 7)) <= 2 && abs(y - (width - 7)) <= 2
    }

    private func isMasked(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (y + x) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (y + x) % 3 == 0
        case 4: (y / 2 + x / 3) % 2 == 0
        case 5: y * x % 2 + y * x % 3 == 0
        case 6: (y * x % 2 + y * x % 3) % 2 == 0
        default: ((y + x) % 2 + y * x % 3) % 2 == 0
        }
    }

    var text: String? {
        // The mask is in the three bits of the format after those for the error correction.
        let mask = [2, 3, 4].reduce(0) { $0 << 1 | (module($1, 8) ? 1 : 0) } ^ 0b101
        var bits: [Bool] = []
        var column = width - 1
        var goesUp = true
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<width {
                let y = goesUp ? width - 1 - step : step
                for x in [column, column - 1] where !isFixed(x, y) {
                    bits.append(module(x, y) != isMasked(mask, x, y))
                }
            }
            goesUp.toggle()
            column -= 2
        }
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        // How many blocks of how many bytes of data the versions have.
        let (blocks, length) = [(1, 16), (1, 28), (1, 44), (2, 32), (2, 43)][(width - 17) / 4 - 1]
        let data = (0..<blocks).flatMap { block in
            (0..<length).map { bytes[$0 * blocks + block] }
        }
        // Four bits for the mode, which is bytes, then the count.
        guard data[0] >> 4 == 0b0100 else { return nil }
        let nibbles = data.flatMap { [$0 >> 4, $0 & 15] }.dropFirst()
        let joined = stride(from: 1, to: nibbles.count, by: 2).map { index in
            nibbles[index] << 4 | nibbles[index + 1]
        }
        return String(validating: joined.dropFirst().prefix(Int(joined[0])), as: UTF8.self)
    }
}
