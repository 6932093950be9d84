public import HTTPTypes

/// Decides from a request's conditions whether its method is to be applied (RFC 9110 §13).
///
/// Use this only for a request that would otherwise succeed (RFC 9110 §13.2.1).
public struct Preconditions: Sendable {
    /// What to do with the request.
    public enum Outcome: Sendable, Hashable {
        /// Apply the method as if there were no conditions.
        case proceed
        /// Respond with 304: the client has the representation already.
        case notModified
        /// Respond with 412, and change nothing.
        case preconditionFailed
    }

    private let method: HTTPRequest.Method
    private let fields: HTTPFields

    public init(method: HTTPRequest.Method, headerFields: HTTPFields) {
        self.method = method
        self.fields = headerFields
    }

    /// Whether the outcome depends on the current representation. `If-Match: *` asks only whether there is
    /// one, and a change of what isn't there gets a 404 anyway.
    public var needsRepresentation: Bool {
        if fields[.ifNoneMatch] != nil { return true }
        guard let value = fields[.ifMatch], case .tags? = EntityTagList(parsing: value) else {
            return false
        }
        return true
    }

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2.
    ///
    /// - Parameters:
    ///   - entityTag: The current representation's entity tag.
    ///   - lastModified: When the representation was last modified, in seconds since 1970.
    ///   - exists: Whether there is a current representation at all, which "*" asks about.
    /// - Throws: `invalidEntityTags` for a malformed If-Match, and for a malformed If-None-Match
    ///   unless the method only reads. RFC 9110 doesn't say what malformed conditions mean.
    ///   Ignoring one could let a client overwrite what it asked us to protect, but a read loses
    ///   nothing by that.
    public func evaluate(
        entityTag: EntityTag?, lastModified: Int? = nil, exists: Bool = true
    ) throws(RequestError) -> Outcome {
        // RFC 9110 §13.2.1: these methods neither select nor modify a representation.
        if method == .options || method == .trace || method == .connect { return .proceed }
        let isRead = method.isRead

        if let value = fields[.ifMatch] {
            guard let list = EntityTagList(parsing: value) else {
                throw RequestError(.invalidEntityTags)
            }
            let isMet = Self.matches(list, exists: exists) {
                entityTag?.stronglyMatches($0) ?? false
            }
            guard isMet else { return .preconditionFailed }
        } else if let limit = date(.ifUnmodifiedSince), let lastModified, lastModified > limit {
            return .preconditionFailed
        }

        if let value = fields[.ifNoneMatch] {
            if let list = EntityTagList(parsing: value) {
                let isKnown = Self.matches(list, exists: exists) {
                    entityTag?.weaklyMatches($0) ?? false
                }
                if isKnown { return isRead ? .notModified : .preconditionFailed }
            } else if !isRead {
                throw RequestError(.invalidEntityTags)
            }
        } else if isRead, let limit = date(.ifModifiedSince), let lastModified,
            lastModified <= limit
        {
            return .notModified
        }
        return .proceed
    }

    private static func matches(
        _ list: EntityTagList, exists: Bool, isMatch: (EntityTag) -> Bool
    ) -> Bool {
        switch list {
        case .any: exists
        case .tags(let tags): exists && tags.contains(where: isMatch)
        }
    }

    /// The date in a field; `nil` if the field isn't one valid date, and so is ignored (RFC 9110
    /// §13.1.3, §13.1.4).
    private func date(_ name: HTTPField.Name) -> Int? {
        fields[name].flatMap { HTTPDate.parse($0) }
    }
}
