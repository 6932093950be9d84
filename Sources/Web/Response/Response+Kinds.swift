import Crypto
import HTTP
import HTTPTypes
import JSON
import Views

extension Response {
    /// A JSON response of the API.
    static func json<Type: Representation>(
        _ value: Type.Value, _ type: Type, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        var json = JSONWriter()
        type.write(value, to: &json)
        return Response(
            status: status,
            headerFields: [
                .contentType: "application/json", .cacheControl: "no-cache",
            ],
            body: json.bytes)
    }

    /// A page in the layout that all pages share.
    static func page(
        _ page: PageModel, _ content: HTML, status: HTTPResponse.Status = .ok
    ) -> Response {
        .html(.layout(page, content), status: status)
    }

    static func html(_ html: HTML, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headerFields: [
                .contentType: MediaType.html.description, .cacheControl: "no-cache",
            ],
            body: html.bytes)
    }

    /// A permanent redirect: the other address is the right one.
    static func redirect(to path: String) -> Response {
        Response(status: .movedPermanently, headerFields: [.location: path])
    }

    /// A temporary redirect with the same method: the address may come to mean something else.
    static func temporaryRedirect(to path: String) -> Response {
        Response(
            status: .temporaryRedirect, headerFields: [.location: path, .cacheControl: "no-store"])
    }

    /// Redirects to the page to show next, after a form was accepted.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headerFields: [.location: path, .cacheControl: "no-store"])
    }

    /// A file for programs that anyone may read.
    static func file(_ type: MediaType, _ body: [UInt8]) -> Response {
        Response(
            headerFields: [.contentType: type.description, .cacheControl: "no-cache"], body: body)
    }

    /// A page that is for one person, or has a form's token. No one may store it.
    ///
    /// - Parameter problem: Why the page is shown again.
    static func privatePage(
        _ page: PageModel, _ content: HTML, problem: Problem? = nil,
        setting cookie: HTTPField? = nil
    ) -> Response {
        var response = Response.page(page, content, status: problem?.status ?? .ok)
        for field in problem?.headerFields ?? [:] { response.headerFields.append(field) }
        response.forbidCaching()
        if let cookie { response.headerFields.append(cookie) }
        return response
    }

    /// A strong entity tag: the digest of the bytes.
    static func entityTag(of body: [UInt8]) -> EntityTag {
        EntityTag(hexadecimal: SHA256.hash(data: body).prefix(16))
    }

    /// The tag of the body as it is.
    var tag: EntityTag { Self.entityTag(of: body) }

    /// The response to a change, with the tag that a read would give now.
    var tagged: Response {
        var response = self
        response.headerFields[.eTag] = tag.description
        return response
    }

    /// Asks search engines not to index the response, unless it is public.
    func noIndex(unless isPublic: Bool) -> Response {
        guard !isPublic else { return self }
        var response = self
        response.headerFields[.xRobotsTag] = "noindex"
        return response
    }

    /// Gives the response an entity tag, answers 304 to a client that already has it, and otherwise
    /// compresses it if the client accepts that.
    ///
    /// - Parameters:
    ///   - gzip: The loop's compressor.
    ///   - tag: The tag of the uncompressed body, if it is known.
    ///   - coded: The body in gzip, if it is known.
    ///   - lastModified: In seconds since 1970. What is made from the database has none: names of
    ///     games and people, and who is public, change without being dated.
    func conditional(
        for request: Request, gzip: Gzip, tag: EntityTag? = nil,
        coded: @autoclosure () -> [UInt8]? = nil, lastModified: Int? = nil
    ) throws -> Response {
        guard status == .ok else { return self }
        var response = self
        var tag = tag ?? self.tag
        // Whether to compress is decided first: conditions apply to the tag of the selected form.
        var isCoded = false
        if isCodable {
            response.headerFields.vary(by: "Accept-Encoding")
            isCoded = AcceptEncoding(request.value(of: .acceptEncoding)).prefersGzip
        }
        let plain = tag
        if isCoded { tag = tag.ofGzip }
        response.headerFields[.eTag] = tag.description
        let conditions = Preconditions(
            method: request.method, headerFields: request.headerFields)
        switch try conditions.evaluate(entityTag: tag, lastModified: lastModified) {
        case .proceed:
            guard isCoded else { return response }
            if let response = response.gzipped(coded() ?? gzip.compress(body)) { return response }
            response.headerFields[.eTag] = plain.description
            return response
        case .notModified:
            response.becomeNotModified()
            return response
        case .preconditionFailed:
            throw Problem(.preconditionFailed, "The resource has changed.")
        }
    }

    /// The same, for the request of a handler's call.
    func conditional(for call: Call) throws -> Response {
        try conditional(for: call.request, gzip: call.services.gzip)
    }

    /// Makes this a 304, for a client that already has the response: RFC 9110 section 15.4.5.
    mutating func becomeNotModified() {
        status = .notModified
        headerFields[.contentType] = nil
        headerFields[.contentEncoding] = nil
        body = []
    }
}

extension HTTPField.Name {
    package static let cacheStatus = constant("Cache-Status")
    static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
    static let idempotencyKey = constant("Idempotency-Key")
    static let idempotencyReplayed = constant("Idempotency-Replayed")
    static let link = constant("Link")
    static let permissionsPolicy = constant("Permissions-Policy")
    static let refresh = constant("Refresh")
    static let referrerPolicy = constant("Referrer-Policy")
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let xForwardedFor = constant("X-Forwarded-For")
    static let rateLimit = constant("RateLimit")
    static let rateLimitPolicy = constant("RateLimit-Policy")
    static let xRequestID = constant("X-Request-ID")
    static let xRobotsTag = constant("X-Robots-Tag")

    /// For names that are written in this file, and known to be valid.
    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field") }
        return field
    }
}
