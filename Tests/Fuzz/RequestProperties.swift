import HTTP
import HTTPTypes

/// The request parser gives the same outcome however its bytes are cut, never gives what a handler
/// may rely on not to get, and reads a request that is written anew as the same request.
enum RequestProperties {
    private struct Outcome: Equatable {
        var events: [String] = []
        var error: RequestError.Code?
    }

    /// Small enough that short inputs reach every bound.
    private static let tight = ParserLimits(
        requestLineBytes: 48, headerBytes: 96, headerCount: 3, bodyBytes: 24, trailerBytes: 24,
        chunkExtensionBytes: 8)

    static func check(_ input: UnsafeRawBufferPointer) {
        for limits in [ParserLimits(), tight] {
            var requests: [Request] = []
            let atOnce = outcome(of: input, limits) { _ in
                input.count
            } received: {
                requests.append($0)
            }
            let single = outcome(of: input, limits) { $0 + 1 }
            require(single == atOnce, "one by one: \(single), at once: \(atOnce)")
            // Where it is cut in two depends on the input alone, so that findings come again.
            let cut = input.isEmpty ? 0 : input.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
            let halves = outcome(of: input, limits) { start in
                start < cut % (input.count + 1) ? cut % (input.count + 1) : input.count
            }
            require(halves == atOnce, "in two: \(halves), at once: \(atOnce)")
            for request in requests { check(request) }
        }
    }

    /// - Parameter end: Up to where the bytes have arrived, once all up to its argument have.
    private static func outcome(
        of input: UnsafeRawBufferPointer, _ limits: ParserLimits, end: (Int) -> Int,
        received: (Request) -> Void = { _ in }
    ) -> Outcome {
        var parser = RequestParser(limits: limits)
        var outcome = Outcome()
        var start = 0
        var arrived = 0
        while arrived < input.count {
            arrived = end(arrived)
            do throws(RequestError) {
                while true {
                    let given = UnsafeRawBufferPointer(rebasing: input[start..<arrived])
                    let (consumed, event) = try parse(&parser, given)
                    require(consumed >= 0 && consumed <= given.count, "consumed \(consumed)")
                    start += consumed
                    switch event {
                    case .head(let expectsContinue):
                        require(parser.hasHead, "a head that the parser does not know of")
                        outcome.events.append("head \(expectsContinue)")
                    case .request(let request):
                        require(parser.isIdle, "something is left of a complete request")
                        outcome.events.append(describe(request))
                        received(request)
                    case nil: break
                    }
                    if consumed == 0, event == nil { break }
                }
            } catch {
                outcome.error = error.code
                require((400...505).contains(error.status.code), "status \(error.status)")
                require(!parser.isIdle && !parser.hasHead, "a parser that failed goes on")
                var repeated: RequestError?
                do throws(RequestError) { _ = try parse(&parser, input) } catch {
                    repeated = error
                }
                require(repeated == error, "a parser that failed throws \(repeated as Any)")
                return outcome
            }
        }
        return outcome
    }

    /// Parses a copy without a byte to spare, so that AddressSanitizer sees what reads beyond.
    private static func parse(
        _ parser: inout RequestParser, _ bytes: UnsafeRawBufferPointer
    ) throws(RequestError) -> (consumed: Int, event: RequestParser.Event?) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyMemory(from: bytes)
        return try parser.parse(Span(_unsafeBytes: copy))
    }

    private static func describe(_ request: Request) -> String {
        let fields = request.headerFields.map { "\($0.name.canonicalName): \(bytes(of: $0))" }
        return """
            \(request.method) \(request.target) @\(request.authority) 1.\(request.minorVersion) \
            \(request.isPersistent) \(fields) \(request.body)
            """
    }

    private static func bytes(of field: HTTPField) -> [UInt8] {
        field.withUnsafeBytesOfValue { Array($0) }
    }

    private static func check(_ request: Request) {
        for segment in request.target.segments {
            require(segment != "." && segment != "..", "the segment \(segment)")
            require(
                segment.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F && $0 != 0x5C },
                "a segment holds \(segment.debugDescription)")
        }
        for field in request.headerFields {
            require(
                bytes(of: field).allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 },
                "\(field.name) holds a control character")
            require(request.contains(field.name), "\(field.name) is not found")
            require(
                request.value(of: field.name) == request.headerFields[field.name],
                "\(field.name) has another value than its field")
        }
        for name in [HTTPField.Name.cookie, .acceptEncoding] {
            require(
                request.contains(name) == request.headerFields.contains(name)
                    && request.value(of: name) == request.headerFields[name],
                "\(name) is read in two ways")
        }
        checkTarget(request.target)
        checkWrittenAnew(request)
    }

    private static func checkTarget(_ target: RequestTarget) {
        guard target.form == .origin else { return }
        let path =
            "/"
            + target.segments.map { PercentCoding.encodeQueryValue($0) }
            .joined(separator: "/")
        let again = try? RequestTarget(parsing: path)
        require(again?.segments == target.segments, "\(target.segments), written as \(path)")
    }

    private static func checkWrittenAnew(_ request: Request) {
        var request = request
        // It comes back with a length instead.
        request.headerFields[.transferEncoding] = nil
        request.headerFields[.contentLength] = nil
        var text = Array(request.method.rawValue.utf8) + Array(" ".utf8)
        if request.target.form == .absolute, let authority = request.target.authority {
            text += Array("http://\(authority)".utf8)
        }
        text += Array(request.target.path.utf8)
        if let query = request.target.query { text += Array("?\(query)".utf8) }
        text += Array(" HTTP/1.\(request.minorVersion)\r\n".utf8)
        // HTTP/1.0 may go without, and an authority is never empty otherwise.
        if !request.authority.isEmpty { text += Array("Host: \(request.authority)\r\n".utf8) }
        for field in request.headerFields {
            text += Array("\(field.name.rawName): ".utf8) + bytes(of: field) + Array("\r\n".utf8)
        }
        text += Array("Content-Length: \(request.body.count)\r\n\r\n".utf8) + request.body

        var limits = ParserLimits()
        // It may have become longer by what is written out.
        limits.requestLineBytes += 64
        limits.headerBytes += 64
        limits.headerCount += 2
        var found: [Request] = []
        let again = text.withUnsafeBytes { text in
            outcome(of: text, limits) { _ in
                text.count
            } received: {
                found.append($0)
            }
        }
        require(again.error == nil && found.count == 1, "written anew: \(again)")
        guard var reread = found.first else { return }
        reread.headerFields[.contentLength] = nil
        require(describe(reread) == describe(request), "written anew it is another request")
    }
}
