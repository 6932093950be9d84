import HTTP

/// What is at an address, as far as all its answers have something in common.
enum AddressKind {
    /// Looks different to people who are signed in.
    case page
    /// A page for frames on other sites: it knows nobody.
    case embed
    /// The JSON API: the same for all that come without a token. Errors are problem documents.
    case api
    /// For programs, too, and the same for all.
    case document
    /// A file of ours, the same for all.
    case file

    init(_ target: RequestTarget) {
        let segments = target.segments
        switch segments.first ?? "" {
        case "api" where segments.count == 1 || segments[1] == "problems": self = .page
        case "api": self = .api
        case "oembed": self = .document
        case "assets", "ping", "ready", ".well-known", "favicon.ico", "robots.txt", "sitemap.xml":
            self = .file
        case let first where first.hasPrefix("@") && segments.count == 2:
            // What belongs to a list is the same for everybody, mostly.
            switch segments[1] {
            case "kindred": self = .page
            case "embed": self = .embed
            case "feed": self = .document
            default: self = .file
            }
        case "platforms" where segments.count == 3 && segments[2] == "feed": self = .document
        default: self = .page
        }
    }
}
