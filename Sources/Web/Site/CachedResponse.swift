import Endpoints
import HTTP
import HTTPTypes

/// A complete response to GET, except for what differs between requests, with its header fields
/// serialised, and the 304 for clients with a current copy.
final class CachedResponse: Sendable {
    /// What a request may get of it.
    enum Part {
        case whole
        /// The 304.
        case notModified
    }

    private let response: Response
    private let notModified: Response
    private let tag: EntityTag?
    /// The tag as text, which clients send back unchanged.
    private let tagText: String?
    /// Whether people who are signed in get another response.
    private let isForStrangers: Bool

    init(_ response: Response, isForStrangers: Bool) {
        var notModified = response
        notModified.becomeNotModified()
        self.response = response.written
        self.notModified = notModified.written
        tagText = response.headerFields[.eTag]
        tag = tagText.flatMap { EntityTag(parsing: $0) }
        self.isForStrangers = isForStrangers
    }

    /// The number of bytes that the response takes in memory, roughly.
    var size: Int {
        response.body.count + (response.writtenFields?.count ?? 0)
            + (notModified.writtenFields?.count ?? 0) + 512
    }

    /// Whether a response to this request may come from memory at all. A condition that can fail is
    /// left to the code that can say so, and so are credentials.
    static func maySuit(_ request: Request) -> Bool {
        request.method.isRead && !request.contains(.authorization)
            && !request.contains(.ifMatch) && !request.contains(.ifUnmodifiedSince)
            && (request.contains(.ifNoneMatch) || !request.contains(.ifModifiedSince))
    }

    /// The part for a request that it `maySuit`; `nil` if the visitor is signed in and so gets a
    /// different response.
    func part(for request: Request) -> Part? {
        guard !(isForStrangers && Cookie.session.mayBe(in: request)) else { return nil }
        guard let condition = request.value(of: .ifNoneMatch) else { return .whole }
        guard let tag else { return nil }
        if condition == tagText { return .notModified }
        let conditions = Preconditions(
            method: request.method, headerFields: request.headerFields)
        return (try? conditions.evaluate(entityTag: tag)) == .notModified ? .notModified : .whole
    }

    subscript(part: Part) -> Response {
        switch part {
        case .whole: response
        case .notModified: notModified
        }
    }

    /// The response to a request, as `part(for:)` says.
    func response(to request: Request) -> Response? { part(for: request).map { self[$0] } }
}

extension Response {
    /// The same response with all its header fields serialised.
    fileprivate var written: Response {
        var response = self
        response.headerFields = [:]
        let fields = WrittenFields(headerFields)
        response.writtenFields = writtenFields.map(fields.followed) ?? fields
        return response
    }
}
