/// Why signing in with a provider failed.
///
/// `description` is safe to show to anyone; `debugDescription` holds the details for the log.
public struct OpenIDError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The provider cannot be reached, or is not working.
        case unavailable
        /// The provider rejected the attempt: the code was used before, or is not for us.
        case refused
        /// The provider's response does not prove who the person is.
        case badResponse
    }

    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String {
        switch code {
        case .unavailable: "The sign-in provider cannot be reached at the moment."
        case .refused: "The sign-in provider did not accept this attempt."
        case .badResponse: "The sign-in provider's response could not be trusted."
        }
    }

    public var debugDescription: String { "OpenID Connect, \(code): \(detail)" }
}
