public import HTTPTypes

extension HTTPRequest.Method {
    /// Whether the method asks for a representation and nothing else: GET or HEAD.
    public var isRead: Bool { self == .get || self == .head }
}
