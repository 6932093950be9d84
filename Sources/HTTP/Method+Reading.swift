import HTTPTypes

extension HTTPRequest.Method {
    /// Whether it asks for a representation, and for nothing else: GET or HEAD.
    public var isRead: Bool { self == .get || self == .head }
}
