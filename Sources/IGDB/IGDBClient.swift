import Encodings
import Foundation
public import HTTPClient
import HTTPTypes
import JSON
public import Logging
public import Sockets
import Work

/// A client for version 4 of IGDB's API. A process has only one, because IGDB's limits apply to the
/// whole application.
public actor IGDBClient {
    private let configuration: IGDBConfiguration
    private let client: HTTPClient
    private let loop: EventLoop
    private let logger: Logger
    private let tokens: any IGDBTokenStore
    private let pacer: Pacer
    private var breaker = CircuitBreaker()
    private var token: IGDBToken?
    private let replacements = SharedWorks<IGDBToken?, Result<IGDBToken, IGDBError>>()

    private static let maximumResponseBytes = 8 << 20

    /// - Parameters:
    ///   - client: Belongs to `loop`.
    ///   - rate: Requests per second. IGDB accepts four from all processes together.
    public init(
        _ configuration: IGDBConfiguration, tokens: any IGDBTokenStore, client: HTTPClient,
        loop: EventLoop, logger: Logger, rate: Int = 4
    ) {
        self.configuration = configuration
        self.tokens = tokens
        self.client = client
        self.loop = loop
        self.logger = logger
        pacer = Pacer(on: loop, rate: rate)
    }

    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.serialExecutor.asUnownedSerialExecutor()
    }

    // MARK: Questions

    /// Games that a search text may mean, the likeliest first.
    ///
    /// The responses of several queries are merged. IGDB's own search knows aliases, but matches only
    /// whole words. A query on slugs, which have no accents, finds the beginnings of words. A query
    /// for equal names finds short names.
    public func games(
        matching text: String, for requester: IGDBRequester
    ) async throws(IGDBError) -> [IGDBGame] {
        let base = Apicalypse().fields(IGDBGame.fields)
        var queries: [(endpoint: String, name: String, query: Apicalypse)] = [
            ("games", "words", base.search(text).limit(50)),
            ("games", "name", base.whereEqual("name", text).limit(20)),
        ]
        let slug = SearchFold.slug(text)
        if slug.utf8.count >= 2 {
            queries.append(
                (
                    "games", "slug",
                    base.whereContains("slug", slug).sort(descending: "total_rating_count").limit(
                        50)
                ))
        }
        if let id = Int(text), (1...Int(Int32.max)).contains(id) {
            queries.append(("games", "id", base.whereID(in: [id])))
        }
        let response = try await post("multiquery", Apicalypse.multiquery(queries), for: requester)
        let responses = response.elements.map { part in
            part["result"]?.elements.compactMap(IGDBGame.init) ?? []
        }
        return SearchOrder(text).merge(responses)
    }

    /// Games by their ids, without unknown ones.
    public func games(
        ids: [Int], for requester: IGDBRequester
    ) async throws(IGDBError) -> [IGDBGame] {
        var games: [IGDBGame] = []
        for start in stride(from: 0, to: ids.count, by: Apicalypse.maximumLimit) {
            let part = Array(ids[start..<min(start + Apicalypse.maximumLimit, ids.count)])
            let query = Apicalypse().fields(IGDBGame.fields).whereID(in: part).limit(part.count)
            games += try await post("games", query.text, for: requester).elements
                .compactMap(IGDBGame.init)
        }
        return games
    }

    /// All platforms.
    public func platforms() async throws(IGDBError) -> [IGDBPlatform] {
        let query = Apicalypse().fields(IGDBPlatform.fields).limit(Apicalypse.maximumLimit)
        return try await post("platforms", query.text, for: .site).elements
            .compactMap(IGDBPlatform.init)
    }

    /// Notes that a caller gave up waiting for a response. That counts as a failure until the response
    /// arrives after all. It does not count while requests wait for their turn, because that delay
    /// is our own doing.
    public func noteSlowness() async {
        guard await !pacer.hasWaiters else { return }
        breaker.failed(at: loop.clock())
    }

    /// Whether IGDB is being left alone after failures, and how many requests wait for their turns.
    public var statistics: (isLeftAlone: Bool, waitingRequests: Int) {
        get async { (breaker.isOpen(at: loop.now), await pacer.waiterCount) }
    }

    // MARK: Requests

    private func post(
        _ endpoint: String, _ body: String, for requester: IGDBRequester
    ) async throws(IGDBError) -> JSONValue {
        guard breaker.mayTry(at: loop.clock()) else { throw IGDBError(.circuitOpen) }
        do throws(IGDBError) {
            let response = try await ask(endpoint, body, requester)
            breaker.succeeded()
            return response
        } catch {
            switch error.code {
            case .unavailable, .tooManyRequests, .unauthorized:
                breaker.failed(at: loop.clock())
            case .badResponse, .queueFull, .circuitOpen, .cancelled: breaker.ended()
            }
            throw error
        }
    }

    private func ask(
        _ endpoint: String, _ body: String, _ requester: IGDBRequester
    ) async throws(IGDBError) -> JSONValue {
        var token = try await currentToken()
        var response = try await send(endpoint, body, token, requester)
        if response.status == .unauthorized {
            // A token can become invalid weeks before it expires.
            token = try await newToken(replacing: token)
            response = try await send(endpoint, body, token, requester)
        }
        if response.status == .tooManyRequests {
            await pacer.pause(for: .seconds(2))
            response = try await send(endpoint, body, token, requester)
        }
        switch response.status.code {
        case 200: break
        case 401, 403: throw IGDBError(.unauthorized, excerpt(response, token))
        case 429:
            await pacer.pause(for: .seconds(5))
            throw IGDBError(.tooManyRequests)
        case 408, 500...: throw IGDBError(.unavailable, "status \(response.status.code)")
        default:
            throw IGDBError(
                .badResponse, "status \(response.status.code): \(excerpt(response, token))")
        }
        do {
            return try JSONParser.parse(response.body)
        } catch {
            throw IGDBError(.badResponse, "byte \(error.offset): \(error.reason)")
        }
    }

    private func send(
        _ endpoint: String, _ body: String, _ token: IGDBToken, _ requester: IGDBRequester
    ) async throws(IGDBError) -> ClientResponse {
        let request = ClientRequest(
            .post, "\(configuration.apiURL)/\(endpoint)",
            headerFields: [
                .accept: "application/json", .contentType: "text/plain",
                .authorization: "Bearer \(token.text)", .clientID: configuration.clientID,
            ],
            body: Array(body.utf8), timeout: configuration.timeout,
            maximumResponseBytes: Self.maximumResponseBytes)
        return try await pacer.run(for: requester) { () throws(IGDBError) in
            // A task of its own, so that cancelling the caller does not cancel the request: once a
            // question is sent, its response is worth having.
            let response = Task(executorPreference: loop) { [client] in
                do throws(HTTPClientError) {
                    return Result<ClientResponse, IGDBError>.success(try await client.send(request))
                } catch {
                    return .failure(IGDBError(error))
                }
            }
            return try await response.value.get()
        }
    }

    // MARK: The token

    private func currentToken() async throws(IGDBError) -> IGDBToken {
        if let token, token.isGood(at: Date()) { return token }
        return try await newToken(replacing: token)
    }

    /// Gets a token other than `old`: the stored token if it differs, or else a new one. All
    /// callers that ask in the meantime wait for the same token.
    private func newToken(replacing old: IGDBToken?) async throws(IGDBError) -> IGDBToken {
        // Another task has already replaced the token.
        if let token, token != old, token.isGood(at: Date()) { return token }
        let replacement = replacements.join(old, on: loop) { await self.replaced(old) }
        guard case .finished(let result) = await replacement.wait() else {
            throw IGDBError(.cancelled)
        }
        return try result.get()
    }

    private func replaced(_ old: IGDBToken?) async -> Result<IGDBToken, IGDBError> {
        do throws(IGDBError) {
            let token = try await replaceToken(old)
            self.token = token
            return .success(token)
        } catch {
            return .failure(error)
        }
    }

    private func replaceToken(_ old: IGDBToken?) async throws(IGDBError) -> IGDBToken {
        let stored: IGDBToken?
        do {
            stored = try await tokens.load()
        } catch {
            throw IGDBError(.unavailable, "the token cannot be read: \(error)")
        }
        if let stored, stored != old, stored.isGood(at: Date()) { return stored }
        let minted = try await mint()
        do {
            return try await tokens.save(minted, replacing: stored)
        } catch {
            // The token is still good for this process.
            logger.warning("the IGDB token could not be stored")
            return minted
        }
    }

    /// Mints a token with the client credentials grant, RFC 6749 section 4.4.
    private func mint() async throws(IGDBError) -> IGDBToken {
        let form = [
            ("client_id", configuration.clientID), ("client_secret", configuration.clientSecret),
            ("grant_type", "client_credentials"),
        ].map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                ClientRequest(
                    .post, configuration.tokenURL,
                    headerFields: [
                        .accept: "application/json",
                        .contentType: "application/x-www-form-urlencoded",
                    ],
                    body: Array(form.joined(separator: "&").utf8), timeout: configuration.timeout,
                    maximumResponseBytes: 1 << 16))
        } catch {
            throw IGDBError(error)
        }
        guard response.status == .ok else {
            let code: IGDBError.Code =
                switch response.status.code {
                case 429: .tooManyRequests
                case 408, 500...: .unavailable
                default: .unauthorized
                }
            throw IGDBError(code, "token endpoint: status \(response.status.code)")
        }
        guard let body = try? JSONParser.parse(response.body),
            let text = body["access_token"]?.text,
            text.consists(of: \.isASCIIVisible, bytes: 1...1000),
            let seconds = body["expires_in"]?.integer, seconds > 0
        else { throw IGDBError(.badResponse, "the token endpoint gave no token") }
        logger.info("a new IGDB token, good for \(seconds / 86_400) days")
        return IGDBToken(text: text, lifetime: seconds, from: Date())
    }

    /// The beginning of an error's body, with our secrets removed in case IGDB repeats them.
    private func excerpt(_ response: ClientResponse, _ token: IGDBToken) -> String {
        var text = String(decoding: response.body.prefix(1 << 16), as: UTF8.self)
        for secret in [token.text, configuration.clientSecret] where !secret.isEmpty {
            text = text.replacingOccurrences(of: secret, with: "…")
        }
        return String(text.prefix(200))
    }
}

extension IGDBError {
    fileprivate init(_ error: HTTPClientError) {
        switch error.code {
        case .cancelled: self.init(.cancelled)
        case .responseTooLarge: self.init(.badResponse, error.debugDescription)
        // `badResponse` includes a response that was cut off.
        case .badRequest, .badResponse, .unreachable, .untrusted, .forbiddenAddress, .timeout,
            .closed:
            self.init(.unavailable, error.debugDescription)
        }
    }
}

extension HTTPField.Name {
    fileprivate static let clientID: HTTPField.Name = {
        guard let name = HTTPField.Name("Client-ID") else { preconditionFailure("a valid name") }
        return name
    }()
}
