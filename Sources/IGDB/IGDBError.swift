/// Why IGDB gave no response.
///
/// `description` is safe to show to anyone; `debugDescription` holds the details for the log, and
/// neither holds a token or a secret.
public struct IGDBError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public enum Code: Hashable, Sendable {
        /// IGDB cannot be reached, is too slow, or has an internal error.
        case unavailable
        /// IGDB says that we ask too often.
        case tooManyRequests
        /// IGDB rejects our credentials, or a token that was minted with them.
        case unauthorized
        /// IGDB rejected the query, or its response cannot be read.
        case badResponse
        /// Too many requests, of everyone or of this requester, are waiting for their turn.
        case queueFull
        /// IGDB has failed so often recently that it is left alone for a while.
        case circuitOpen
        case cancelled
    }

    public let code: Code
    private let detail: String

    /// Whether the same request may succeed a little later.
    public var isPassing: Bool {
        switch code {
        case .unavailable, .tooManyRequests, .queueFull, .circuitOpen: true
        case .unauthorized, .badResponse, .cancelled: false
        }
    }

    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    public var description: String {
        switch code {
        case .unavailable, .circuitOpen: "IGDB cannot be reached at the moment."
        case .tooManyRequests, .queueFull: "Too many requests to IGDB at the moment."
        case .unauthorized: "IGDB does not accept this site's credentials."
        case .badResponse: "IGDB's response could not be used."
        case .cancelled: "Nothing was waiting for IGDB's response any longer."
        }
    }

    public var debugDescription: String { "IGDB, \(code): \(detail)" }
}
