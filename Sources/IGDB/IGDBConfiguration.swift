/// How to reach IGDB, as the operator configures it.
public struct IGDBConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public let clientID: String
    /// It must never be logged.
    public let clientSecret: String
    public let apiURL: String
    public let tokenURL: String
    /// For each request.
    public var timeout = Duration.seconds(10)

    public static let standardAPIURL = "https://api.igdb.com/v4"
    public static let standardTokenURL = "https://id.twitch.tv/oauth2/token"

    public init(
        clientID: String, clientSecret: String, apiURL: String = Self.standardAPIURL,
        tokenURL: String = Self.standardTokenURL
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.apiURL = apiURL
        self.tokenURL = tokenURL
    }

    /// Leaves out the secret.
    public var description: String { "\(clientID) at \(apiURL)" }
    public var debugDescription: String { description }
}
