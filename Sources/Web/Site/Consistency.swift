import Endpoints
import HTTP
import HTTPTypes
import Storage

/// How recent answers for people who are not signed in have to be. Everything else is always exact.
public struct Consistency: Hashable, Sendable {
    public enum Level: String, CaseIterable, Sendable {
        /// As recent as the request.
        case exact
        /// At most `lag` old, but people who have written see at least that.
        case ownWrites = "own-writes"
        /// At most `lag` old.
        case bounded
    }

    public let level: Level
    /// How long ago the primary may last have been asked what has changed.
    public let lag: Duration

    public init(_ level: Level, lag: Duration) {
        self.level = level
        self.lag = lag
    }

    public static let exact = Consistency(.exact, lag: .zero)

    /// How recent the answer to a request has to be that has no token.
    private var recency: Recency { level == .exact ? .exact : Recency(age: lag) }

    // MARK: Own writes

    /// Whether a request may be by someone who has written, so that its token has to be read.
    private func mayHaveToken(_ request: Request) -> Bool {
        level == .ownWrites
            && (request.contains(.consistencyToken) || Cookie.written.mayBe(in: request))
    }

    /// How recent the answer to a request has to be; `nil` if its token has to be read first.
    func recency(of request: Request) -> Recency? { mayHaveToken(request) ? nil : recency }

    /// How recent the answer to a request has to be. A token that is not ours, or not any more,
    /// makes it exact.
    func recency(of request: Request, _ services: Services) async -> Recency {
        guard mayHaveToken(request) else { return recency }
        let token =
            request.value(of: .consistencyToken)
            ?? Cookie.written.value(in: request, isSecure: services.settings.isSecure)
        guard let token, let text = await services.positionSeal.open(token),
            let position = LogPosition(text)
        else { return .exact }
        return Recency(age: lag, position: position)
    }

    /// Whether the response to a request tells from where on the log has what was written.
    private func marks(_ response: Response, _ exchange: Exchange) -> Bool {
        guard level == .ownWrites, !exchange.request.method.isRead else { return false }
        return exchange.request.method != .options && response.status.kind != .clientError
    }

    /// Gives a response to a write the token with which its sender sees what was written. It is needed
    /// for no longer than other answers may be old.
    func mark(
        _ response: inout Response, _ exchange: Exchange, _ services: Services, _ feed: ChangeFeed
    )
        async
    {
        guard marks(response, exchange), let position = await feed.position(),
            let token = await services.positionSeal.seal(position.description)
        else { return }
        switch exchange.kind {
        case .page:
            response.headerFields.append(
                Cookie.written.setting(
                    token, maximumAge: lag + .seconds(2), isSecure: services.settings.isSecure))
        case .api, .v0: response.headerFields[.consistencyToken] = token
        case .document, .embed, .file: break
        }
    }
}

extension Services {
    fileprivate var positionSeal: Seal {
        get async { Seal(await ownKeys.current().map(\.positionKey)) }
    }
}
