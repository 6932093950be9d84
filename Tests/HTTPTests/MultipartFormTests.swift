import Testing

@testable import HTTP

@Suite("A form with a file")
struct MultipartFormTests {
    private static let type = MediaType(
        "multipart", "form-data", parameters: [.init(name: "boundary", value: "XyZ")])

    private func parse(_ text: String, _ type: MediaType = Self.type) throws -> MultipartForm {
        try MultipartForm(parsing: Array(text.utf8), type: type)
    }

    private static let form = [
        "--XyZ", "Content-Disposition: form-data; name=\"token\"", "", "secret",
        "--XyZ",
        "Content-Disposition: form-data; name=\"file\"; filename=\"my \\\"best\\\" games.csv\"",
        "Content-Type: text/csv", "", "name\r\n--XyY\r\nPortal\r\n", "--XyZ--", "",
    ].joined(separator: "\r\n")

    @Test("has the parts that a browser sends, byte for byte")
    func parts() throws {
        let form = try parse(Self.form)
        #expect(form.parts.map(\.name) == ["token", "file"])
        #expect(form["token"]?.content == Array("secret".utf8))
        #expect(form["token"]?.fileName == nil)
        #expect(form["file"]?.fileName == "my \"best\" games.csv")
        #expect(form["file"]?.content == Array("name\r\n--XyY\r\nPortal\r\n".utf8))
        let bytes: [UInt8] = [0, 0xFF, 0x0D, 0x0A, 0x2D, 0x2D, 0x58]
        let head = "--XyZ\r\ncontent-disposition:form-data;name=f\r\n\r\n"
        let binary = try MultipartForm(
            parsing: Array(head.utf8) + bytes + Array("\r\n--XyZ--".utf8), type: Self.type)
        #expect(binary["f"]?.content == bytes)
        let empty = try parse(
            "--XyZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--XyZ--\r\n")
        #expect(empty["a"]?.content == [])
    }

    @Test("is refused if two programs could read it differently")
    func refused() {
        let broken = [
            "", "--XyZ", "--XyZ--x", "--XyZ--\r\nepilogue", "preamble\r\n" + Self.form,
            Self.form.replacing("form-data; name=\"token\"", with: "attachment; name=\"token\""),
            Self.form.replacing("; name=\"token\"", with: ""),
            Self.form.replacing("; name=\"token\"", with: "; name=\"token"),
            Self.form.replacing("Content-Type: text/csv", with: "no field"),
            Self.form.replacing(
                "Content-Type: text/csv", with: "Content-Disposition: form-data; name=\"b\""),
            Self.form.replacing("--XyZ--", with: "--XyZ"),
            Self.form.replacing("\r\n--XyZ--", with: ""),
            Self.form.replacing("--XyZ\r\nContent", with: "--XyZ \r\nContent"),
            Self.form.replacing(
                "Content-Type",
                with: "X: " + String(repeating: "x", count: 5000) + "\r\nContent-Type"),
        ]
        for text in broken {
            #expect(throws: RequestError(.malformedMultipart), "\(text)") { try parse(text) }
        }
        for boundary in ["", String(repeating: "x", count: 71), "a b", "é"] {
            let type = MediaType(
                "multipart", "form-data", parameters: [.init(name: "boundary", value: boundary)])
            #expect(throws: RequestError(.malformedMultipart)) { try parse(Self.form, type) }
        }
        #expect(throws: RequestError(.malformedMultipart)) {
            try parse(Self.form, MediaType("multipart", "form-data"))
        }
    }

    @Test("has a bounded number of parts")
    func bounds() throws {
        func form(_ count: Int) -> String {
            (1...count).map {
                "--XyZ\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($0)\r\n"
            }.joined() + "--XyZ--\r\n"
        }
        #expect(try parse(form(16)).parts.count == 16)
        #expect(throws: RequestError(.tooManyFormItems)) { try parse(form(17)) }
    }

    @Test("that was cut anywhere is refused")
    func cuts() {
        let bytes = Array(Self.form.utf8)
        for count in 0..<bytes.count - 2 {
            #expect(throws: RequestError.self, "\(count)") {
                try MultipartForm(parsing: Array(bytes[..<count]), type: Self.type)
            }
        }
    }

    @Test(
        "has no text that isn't UTF-8, or that has a NUL", arguments: [[0x43, 0xE9], [0x41, 0]])
    func text(bytes: [UInt8]) throws {
        let body =
            Array("--XyZ\r\nContent-Disposition: form-data; name=csv\r\n\r\n".utf8) + bytes
            + Array("\r\n--XyZ--\r\n".utf8)
        let form = try MultipartForm(parsing: body, type: Self.type)
        #expect(throws: RequestError.self) { try FormItems(form) }
    }
}
