import HTTP
package import HTTPTypes

/// The kind of an address: what all its responses have in common.
package enum AddressKind: Sendable {
    /// A page, which looks different to people who are signed in.
    case page
    /// A page for frames on other sites. It never knows who is looking.
    case embed
    /// The JSON API: the same for all clients that send no token. Errors are problem documents.
    case api
    /// An API whose errors are the application's own plain objects.
    case plainAPI
    /// A document that is for programs, too, and the same for everyone.
    case document
    /// A file of ours, the same for everyone. Errors are pages.
    case file

    /// Whether it is for programs that have a limit of their own, and are notified of it.
    package var isAPI: Bool { self == .api || self == .plainAPI }

    /// Whether pages of other sites may read it, and send what is for every origin.
    package var isForOtherOrigins: Bool { isAPI || self == .document }

    /// What requests to the address are counted as.
    package func budget(_ method: HTTPRequest.Method) -> RateLimits.Budget {
        guard isAPI else { return .pages }
        return method.isRead ? .reads : .writes
    }
}
