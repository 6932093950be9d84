import Encodings

/// The parts of a form that has a file (`multipart/form-data`, RFC 7578), in order.
///
/// Parsing is stricter than in RFC 2046: there is nothing before the first boundary and nothing but a
/// line end after the last one, and boundaries have no white space after them. Browsers write forms
/// like that. More than 16 parts are an error, and so are fields of a part that are longer than 4 KB.
public struct MultipartForm: Sendable {
    public struct Part: Sendable {
        /// The name of the form's field.
        public let name: String
        /// The name of the file, if the part is a file. The name comes from the client, so it must
        /// not be used as a path.
        public let fileName: String?
        public let content: [UInt8]
    }

    /// The most parts that are accepted.
    public static let maximumCount = 16
    private static let maximumHeaderBytes = 4096

    public let parts: [Part]

    /// - Parameter type: The Content-Type, with the boundary.
    public init(parsing body: [UInt8], type: MediaType) throws(RequestError) {
        guard let boundary = type[parameter: "boundary"],
            boundary.consists(of: \.isASCIIVisible, bytes: 1...70)
        else { throw RequestError(.malformedMultipart) }
        parts = try Self.parse(body.span, Array("--\(boundary)".utf8))
    }

    /// The first part with this name.
    public subscript(name: String) -> Part? { parts.first { $0.name == name } }

    /// - Parameter delimiter: The boundary with its hyphens.
    private static func parse(
        _ bytes: Bytes, _ delimiter: [UInt8]
    ) throws(RequestError) -> [Part] {
        guard bytes.starts(with: delimiter.span) else { throw RequestError(.malformedMultipart) }
        let end = [.carriageReturn, .lineFeed] + delimiter
        var parts: [Part] = []
        var start = delimiter.count
        while true {
            let rest = bytes.part(from: start)
            if rest.starts(with: "--") {
                guard rest.count == 2 || rest.count == 4 && rest.starts(with: "--\r\n") else {
                    throw RequestError(.malformedMultipart)
                }
                return parts
            }
            guard rest.starts(with: "\r\n"),
                // The empty line after the fields. There is at least one field, which ends in CR LF.
                let header = position(
                    of: Array("\r\n\r\n".utf8),
                    in: rest.part(2, min(rest.count, maximumHeaderBytes + 2))),
                let length = position(of: end, in: rest.part(from: header + 6))
            else { throw RequestError(.malformedMultipart) }
            guard parts.count < maximumCount else { throw RequestError(.tooManyFormItems) }
            parts.append(
                try part(
                    fields: rest.part(2, header + 2),
                    content: rest.part(header + 6, header + 6 + length)))
            start += header + 6 + length + end.count
        }
    }

    private static func part(fields: Bytes, content: Bytes) throws(RequestError) -> Part {
        var disposition: Substring?
        for line in fields.repairedText.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":"),
                disposition == nil || !isDisposition(line[..<colon])
            else { throw RequestError(.malformedMultipart) }
            if isDisposition(line[..<colon]) { disposition = line[line.index(after: colon)...] }
        }
        let parameters = disposition.flatMap { value in
            FieldScanner.scanning(value) { scanner -> [MediaType.Parameter]? in
                scanner.skipWhiteSpace()
                guard scanner.token()?.lowercased() == "form-data",
                    let parameters = scanner.parameters(), scanner.isAtEnd
                else { return nil }
                return parameters
            }
        }
        guard let parameters, let name = parameters.first(where: { $0.name == "name" })?.value
        else {
            throw RequestError(.malformedMultipart)
        }
        return Part(
            name: name, fileName: parameters.first { $0.name == "filename" }?.value,
            content: Array(copying: content))
    }

    private static func isDisposition(_ name: Substring) -> Bool {
        name.lowercased() == "content-disposition"
    }

    private static func position(of pattern: [UInt8], in bytes: Bytes) -> Int? {
        var start = 0
        let end = bytes.count - pattern.count + 1
        while let found = bytes.position(of: pattern[0], from: start, before: end) {
            if bytes.part(from: found).starts(with: pattern.span) { return found }
            start = found + 1
        }
        return nil
    }
}
