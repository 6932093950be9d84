import Crypto
public import HTTP
public import HTTPTypes
public import JSON
import Languages

extension Response {
    /// A JSON response of the API.
    @inlinable public static func json<Type: Representation>(
        _ value: Type.Value, _ type: Type, for site: SiteAddresses,
        _ status: HTTPResponse.Status = .ok
    ) -> Response {
        var json = JSONWriter()
        type.write(value, to: &json, for: site)
        return Response(
            status: status,
            headerFields: [
                .contentType: "application/json", .cacheControl: "no-cache",
            ],
            body: json.bytes)
    }

    /// A permanent redirect: the other address is the right one.
    package static func redirect(to path: String) -> Response {
        Response(status: .movedPermanently, headerFields: [.location: path])
    }

    /// A temporary redirect with the same method: the address may come to mean something else.
    package static func temporaryRedirect(to path: String) -> Response {
        Response(
            status: .temporaryRedirect, headerFields: [.location: path, .cacheControl: "no-store"])
    }

    /// Redirects to the page to show next, after a form was accepted.
    package static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headerFields: [.location: path, .cacheControl: "no-store"])
    }

    /// A file for programs that anyone may read.
    package static func file(_ type: MediaType, _ body: [UInt8]) -> Response {
        Response(
            headerFields: [.contentType: type.description, .cacheControl: "no-cache"], body: body)
    }

    /// A strong entity tag: the digest of the bytes.
    package static func entityTag(of body: [UInt8]) -> EntityTag {
        EntityTag(hexadecimal: SHA256.hash(data: body).prefix(16))
    }

    /// The tag of the body as it is.
    package var tag: EntityTag { Self.entityTag(of: body) }

    /// The response to a change, with the tag that a read would give now.
    package var tagged: Response {
        var response = self
        response.headerFields[.eTag] = tag.description
        return response
    }

    /// Asks search engines not to index the response, unless it is public.
    package func noIndex(unless isPublic: Bool) -> Response {
        guard !isPublic else { return self }
        var response = self
        response.headerFields[.xRobotsTag] = "noindex"
        return response
    }

    /// Gives the response an entity tag. Returns a 304 if the client's copy is current, and otherwise
    /// compresses the response if the client accepts that.
    ///
    /// - Parameters:
    ///   - gzip: The loop's compressor.
    ///   - tag: The tag of the uncompressed body, if it is known.
    ///   - coded: The body in gzip, if it is known.
    ///   - lastModified: In seconds since 1970; `nil` for a response from the database, which doesn't
    ///     record when names and visibility change.
    package func conditional(
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
            throw Problem(.preconditionFailed, .english("The resource has changed."))
        }
    }

    /// Compresses a response without a tag if the client accepts that.
    package func compressed(for request: Request, gzip: Gzip) -> Response {
        guard isCodable else { return self }
        var response = self
        response.headerFields.vary(by: "Accept-Encoding")
        guard AcceptEncoding(request.value(of: .acceptEncoding)).prefersGzip else {
            return response
        }
        return response.gzipped(gzip.compress(body)) ?? response
    }

    /// Makes this a 304, for a client that already has the response: RFC 9110 section 15.4.5.
    package mutating func becomeNotModified() {
        status = .notModified
        headerFields[.contentType] = nil
        headerFields[.contentEncoding] = nil
        body = []
    }
}
