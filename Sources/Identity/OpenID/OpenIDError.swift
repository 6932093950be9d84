/// Why signing in with a provider failed.
///
/// `code` is safe to show to anyone; `debugDescription` and `detail` are for the operator.
public struct OpenIDError: Error, Sendable, CustomDebugStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The provider cannot be reached, or is not working.
        case unavailable
        /// The provider rejected the attempt: the code was used before, or is not for us.
        case refused
        /// The provider's response does not prove who the person is.
        case badResponse
    }

    public let code: Code
    /// What is wrong, and what to do about it.
    public let detail: String
    /// Whether the provider rejected us as its client, which only the operator can mend.
    public let isOfClient: Bool

    init(_ code: Code, _ detail: String, isOfClient: Bool = false) {
        self.code = code
        self.detail = detail
        self.isOfClient = isOfClient
    }

    /// The error itself, or one that says that the provider can't be reached.
    init(wrapping error: any Error) {
        self =
            error as? OpenIDError ?? OpenIDError(.unavailable, String(reflecting: error))
    }

    public var debugDescription: String { "OpenID Connect, \(code): \(detail)" }
}
