/// What is at an address, as far as all its answers have something in common.
enum AddressKind: Sendable {
    /// Looks different to people who are signed in.
    case page
    /// A page for frames on other sites: it knows nobody.
    case embed
    /// The JSON API: the same for all clients that send no token. Errors are problem documents.
    case api
    /// The API of the first front end, which has errors of its own.
    case v0
    /// For programs, too, and the same for all.
    case document
    /// A file of ours, the same for all. Errors are pages.
    case file

    /// Whether its requests are counted by the rate limits.
    var isLimited: Bool { self == .api || self == .v0 }

    /// Whether pages of other sites may read it, and as far as the operator allows it, write.
    var isForOtherOrigins: Bool { isLimited || self == .document }
}
