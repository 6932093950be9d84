public import Foundation

/// The use of a session.
public enum SessionKind: String, CaseIterable, Sendable {
    /// Carried by a cookie.
    case browser
    /// Carried by a refresh token, and named by access tokens.
    case api
}

/// Where a session was opened.
public struct SessionOrigin: Hashable, Sendable {
    /// The browser and its system, or the program, in at most 80 characters; `nil` if unknown.
    public let device: String?
    /// A network in CIDR notation, RFC 4632; `nil` if unknown.
    public let network: String?

    public init(device: String?, network: String?) {
        self.device = device
        self.network = network
    }

    public static let unknown = SessionOrigin(device: nil, network: nil)
}

/// How long a session lasts.
public struct SessionLifetime: Sendable {
    /// Counted from its last use.
    public let idle: Duration
    /// Counted from its start, regardless of use.
    public let absolute: Duration

    public init(idle: Duration, absolute: Duration) {
        self.idle = idle
        self.absolute = absolute
    }
}

/// A valid session as its user sees it.
public struct SessionRecord: Hashable, Sendable {
    public let id: UUID
    public let kind: SessionKind
    public let origin: SessionOrigin
    public let createdAt: Date
    /// To about five minutes.
    public let seenAt: Date
    /// `nil` for the user's own session.
    public let app: AppGrant?

    public init(
        id: UUID, kind: SessionKind, origin: SessionOrigin, createdAt: Date, seenAt: Date,
        app: AppGrant? = nil
    ) {
        self.id = id
        self.kind = kind
        self.origin = origin
        self.app = app
        self.createdAt = createdAt
        self.seenAt = seenAt
    }
}

/// A session that is valid now.
public struct OpenSession: Sendable {
    public let id: UUID
    public let user: User
    /// An app's; `nil` for the user's own session, which allows everything.
    public let scopes: Set<TokenScope>?

    public init(id: UUID, user: User, scopes: Set<TokenScope>?) {
        self.id = id
        self.user = user
        self.scopes = scopes
    }
}

/// A browser's session that is valid now.
public struct BrowserSession: Sendable {
    public let id: UUID
    public let user: User
    /// What the user has seen of their news.
    public package(set) var news: NewsVisit

    public init(id: UUID, user: User, news: NewsVisit) {
        self.id = id
        self.user = user
        self.news = news
    }
}

/// The means that someone has signed in with.
public enum SignInMeans: Hashable, Sendable {
    /// The password with this hash.
    case password(hash: String)
    /// The identity at a provider.
    case identity(issuer: String, subject: String)
    case passkey(id: UUID)
}
