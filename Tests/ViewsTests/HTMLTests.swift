import FaveGames
import Languages
import Testing

@testable import Views

@Suite("HTML")
struct HTMLTests {
    private func written(_ write: (inout HTML) -> Void) -> [UInt8] {
        var html = HTML(reserving: 0)
        write(&html)
        return html.bytes
    }

    private func text(_ write: (inout HTML) -> Void) -> String {
        String(decoding: written(write), as: UTF8.self)
    }

    /// What each of the ways to write text makes of it; all do the same.
    private func escaped(_ text: String) -> [UInt8] {
        let bytes = written { $0.text(text) }
        #expect(written { $0.attribute(text) } == bytes)
        #expect(written { $0.plainText(text) } == bytes)
        return bytes
    }

    @Test("draws a placeholder under a cover, so that it is seen if the cover can't be had")
    func covers() throws {
        let game = Game(
            id: 7, name: GameTitle("The Last Guardian"), releaseYear: nil, coverImageID: "co1")
        let shown = text { HTML.smallCover(game, from: .igdb, to: &$0) }
        let placeholder = try #require(shown.range(of: ">LG</text>"))
        let image = try #require(shown.range(of: "<img src=\"https://images.igdb.com/"))
        #expect(placeholder.upperBound < image.lowerBound)
        // With a width or a height, browsers would draw a frame for a picture that is missing.
        #expect(!shown[image.lowerBound...].contains(/\b(width|height)=/))
    }

    @Test("names the covers where the page has them from")
    func coverSource() {
        let game = Game(
            id: 7, name: GameTitle("The Last Guardian"), releaseYear: nil, coverImageID: "co1")
        for (source, folder) in [
            (CoverImage.Source.igdb, "https://images.igdb.com/igdb/image/upload/t_"),
            (.site, "/covers/"),
        ] {
            #expect(
                text { HTML.smallCover(game, from: source, to: &$0) }.contains(
                    "src=\"\(folder)cover_small_2x/co1.jpg\""))
            #expect(
                text { HTML.cover(game, from: source, isFirst: true, to: &$0) }.contains(
                    "src=\"\(folder)cover_big/co1.jpg\" "
                        + "srcset=\"\(folder)cover_big_2x/co1.jpg 2x\""))
        }
    }

    @Test("writes numbers and names as its language does, and escapes them")
    func languages() {
        for (language, expected) in [
            (Language.en, "1,234|&lt;a&gt;, b|1,234|&lt;a&gt;, b"),
            (.de, "1.234|&lt;a&gt;, b|1.234|&lt;a&gt;, b"),
            (.ja, "1,234|&lt;a&gt;、b|1,234|&lt;a&gt;、b"),
        ] {
            var html = HTML(reserving: 0, in: language)
            let names = ["<a>", "b"].listed
            html.text(1234.grouped)
            html.raw("|")
            html.text(names)
            html.raw("|")
            html.attribute(1234.grouped)
            html.raw("|")
            html.plainText(names)
            #expect(html.string == expected)
        }
    }

    @Test("escapes the five characters of markup")
    func five() {
        #expect(
            escaped(#"<a href="x">R&D's</a>"#)
                == Array("&lt;a href=&quot;x&quot;&gt;R&amp;D&#39;s&lt;/a&gt;".utf8))
        #expect(escaped("&amp;") == Array("&amp;amp;".utf8))
    }

    @Test(
        "leaves everything else as it is",
        arguments: ["", "plain", "日本語 é 🎮", "`=/{}[]()\\", "\u{0}\u{7F}\u{2028}"])
    func others(text: String) {
        #expect(escaped(text) == Array(text.utf8))
    }

    @Test("escapes markup, and refuses control characters in addresses, at any place of a value")
    func places() {
        let plain = Array(repeating: UInt8(ascii: "x"), count: 20)
        for count in 1...20 {
            for place in 0..<count {
                func value(_ byte: UInt8) -> String {
                    var bytes = Array(plain.prefix(count))
                    bytes[place] = byte
                    return String(decoding: bytes, as: UTF8.self)
                }
                for byte in "<>&\"'".utf8 {
                    let expected =
                        plain.prefix(place) + escaped(value(byte).filter { $0 != "x" })
                        + plain.prefix(count - place - 1)
                    #expect(escaped(value(byte)) == Array(expected))
                }
                for byte: UInt8 in [0, 0x09, 0x1F, 0x7F] {
                    #expect(AddressDestination("/" + value(byte)) == .other)
                }
                for byte: UInt8 in [0x20, 0x21, 0x3B, 0x3D, 0x7E] {
                    #expect(AddressDestination("/" + value(byte)) == .path)
                    #expect(escaped(value(byte)) == Array(value(byte).utf8))
                }
            }
        }
    }

    @Test("sees markup that has marks joined to it", arguments: ["<", ">", "&", "\"", "'"])
    func joined(character: String) throws {
        let byte = try #require(character.utf8.first)
        let reference = escaped(character)
        for (before, after) in [
            ("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}"), ("", "\u{FE0F}"),
            ("\u{110BD}", "\u{E0100}"),
        ] {
            let bytes = escaped(before + character + after)
            #expect(bytes == Array(before.utf8) + reference + Array(after.utf8))
            #expect(!bytes.contains(byte) || character == "&")
        }
    }

    @Test("writes numbers", arguments: [0, 7, 10, -1, 1234, Int.max, Int.min])
    func numbers(number: Int) {
        #expect(written { $0.text(number) } == Array(String(number).utf8))
        #expect(written { $0.attribute(number) } == Array(String(number).utf8))
        #expect(written { $0.plainText(number) } == Array(String(number).utf8))
    }

    @Test(
        "lets addresses lead to this site, and to others by http",
        arguments: [
            "/", "/a", "/@rob?a=b#c", "?a=//b", "#a", "#", "http://a.example",
            "https://a.example/b",
            "HTTPS://a.example",
        ])
    func addresses(address: String) {
        #expect(written { $0.address(address) } == Array(address.utf8))
        let isOwn = !address.lowercased().hasPrefix("http")
        #expect(
            written { $0.ownAddress(address) } == Array((isOwn ? address : "#").utf8), "\(address)")
    }

    @Test(
        "lets them lead nowhere else",
        arguments: [
            "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)",
            "\u{1}javascript:alert(1)", "java\nscript:alert(1)", "\tjavascript:alert(1)",
            "data:text/html,<b>", "vbscript:a", "//evil.example", "/\\evil.example",
            "/\t/evil.example", "\\\\evil.example", "/\n/evil.example", "\u{7F}", "", "a", "./a",
            "http:evil", "https:/evil", "httpsx://a", "mailto:a@b", " /a", "ｊavascript:a",
        ])
    func refusedAddresses(address: String) {
        #expect(written { $0.address(address) } == Array("#".utf8))
        #expect(written { $0.ownAddress(address) } == Array("#".utf8))
        #expect(RedirectAddress(madeHere: address) == nil)
    }

    @Test(
        "sends browsers to addresses that were made here",
        arguments: [
            ("https://id.example/?a=b&c=<d>", "https://id.example/?a=b&amp;c=&lt;d&gt;"),
            ("https://id.example/realms/o'brien", "https://id.example/realms/o&#39;brien"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"), ("/a", "/a"),
        ])
    func redirects(text: String, escaped: String) throws {
        let address = try #require(RedirectAddress(madeHere: text))
        #expect(written { $0.redirectAddress(address) } == Array(escaped.utf8))
        #expect(RedirectAddress(madeHere: "'" + text) == nil)
        #expect(RedirectAddress(madeHere: "\"" + text) == nil)
    }

    @Test(
        "keeps JSON inside of its block, meaning the same",
        arguments: [
            ("</script>", "\\u003c/script\\u003e"), ("<!--", "\\u003c!--"), ("&", "\\u0026"),
            ("<\u{301}", "\\u003c\u{301}"), ("\u{600}>", "\u{600}\\u003e"),
            ("\u{2028}\u{2029}a", "\\u2028\\u2029a"), ("\"a\\n\"👾é'", "\"a\\n\"👾é'"), ("", ""),
            ("\u{2027}\u{202A}\u{20A8}", "\u{2027}\u{202A}\u{20A8}"),
        ])
    func json(text: String, escaped: String) {
        #expect(written { $0.json(JSONText(Array(text.utf8))) } == Array(escaped.utf8))
    }

    @Test("takes bytes of JSON that end too soon")
    func shortJSON() {
        for bytes: [UInt8] in [[0xE2], [0xE2, 0x80], [0x20, 0xE2]] {
            #expect(written { $0.json(JSONText(bytes)) } == bytes)
        }
    }

    @Test("takes views as they are")
    func views() {
        var inner = HTML(reserving: 0)
        HTML.heart(to: &inner)
        #expect(written { $0.text(View(reserving: 0) { HTML.heart(to: &$0) }) } == inner.bytes)
        #expect(inner.string.hasPrefix("<svg class=\"heart\""))
    }
}
