import HTTP

/// The parts of a form come back as they were when they are written.
enum MultipartProperties {
    private static let type = MediaType(
        "multipart", "form-data", parameters: [.init(name: "boundary", value: "b")])

    static func check(_ input: UnsafeRawBufferPointer) {
        guard let form = try? MultipartForm(parsing: Array(input), type: type) else { return }
        require(form.parts.count <= MultipartForm.maximumCount, "too many parts")
        var bytes: [UInt8] = []
        for (index, part) in form.parts.enumerated() {
            require(part.content.count < input.count, "more than was sent")
            bytes += "--b\r\nContent-Disposition: form-data; name=\(index)\r\n\r\n".utf8
            bytes += part.content + "\r\n".utf8
        }
        bytes += "--b--".utf8
        let again = try? MultipartForm(parsing: bytes, type: type)
        require(again?.parts.map(\.content) == form.parts.map(\.content), "other contents")
    }
}
