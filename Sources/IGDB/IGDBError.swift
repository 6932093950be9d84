/// Why IGDB gave no answer.
///
/// `description` is safe to show to anyone; `debugDescription` holds the details for the log, and
/// neither holds a token or a secret.
public struct IGDBError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public enum Code: Hashable, Sendable {
        /// It cannot be reached, is too slow, or has a fault of its own.
        case unavailable
        /// It says that we ask too often.
        case tooManyRequests
        /// It takes neither our credentials nor a token made with them.
        case unauthorized
        /// It refused the query, or what it gave cannot be read.
        case badAnswer
        /// As many requests wait for their turn as the bound allows.
        case queueFull
        /// It failed so often of late that it is left alone for a while.
        case circuitOpen
        case cancelled
    }

    public let code: Code
    private let detail: String

    /// Whether the same question may be answered a little later.
    public var isPassing: Bool {
        switch code {
        case .unavailable, .tooManyRequests, .queueFull, .circuitOpen: true
        case .unauthorized, .badAnswer, .cancelled: false
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
        case .badAnswer: "IGDB's answer could not be used."
        case .cancelled: "Nobody was waiting for IGDB's answer any more."
        }
    }

    public var debugDescription: String { "IGDB, \(code): \(detail)" }
}
