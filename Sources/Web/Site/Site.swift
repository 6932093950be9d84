import HTTP
import HTTPServer
import HTTPTypes
import Logging
import Postgres
import Sockets
import Storage
import Tracing

/// Answers every request of one loop: finds the route, runs its handler, and turns errors into
/// problem documents or pages.
public final class Site: Responder {
    private let services: Services
    private let router: Router<Route>
    private let securityFields: SecurityFields
    private let crossOrigin: CORS
    private let caching: APICaching
    private let answers: AnswerCache
    /// The services for answers that are for one person.
    private let personal: Services
    /// Where answers for everyone may be read from; `nil` if only from the primary.
    private let replicas: Replicas?
    private let log: RequestLog
    private let metrics = RequestMetrics()

    /// - Parameters:
    ///   - feed: The loop's feed; `nil` if no answers from the database are to be kept, and there are no
    ///     replicas.
    ///   - keepsAnswers: Whether answers from the database are to be kept.
    ///   - rows: What the answers for people who are signed in share; `nil` if nothing is kept.
    ///   - replicas: Where answers for everyone may be read from; `nil` if only from the primary.
    public convenience init(
        _ services: Services, feed: ChangeFeed? = nil, keepsAnswers: Bool = true,
        rows: SharedRows? = nil, replicas: Replicas? = nil
    ) {
        self.init(
            services, Routes.router, feed: feed, keepsAnswers: keepsAnswers, rows: rows,
            replicas: replicas)
    }

    init(
        _ services: Services, _ router: Router<Route>, feed: ChangeFeed?, keepsAnswers: Bool = true,
        rows: SharedRows? = nil, replicas: Replicas? = nil
    ) {
        self.router = router
        self.replicas = replicas
        self.services = services
        securityFields = SecurityFields(services.settings)
        crossOrigin = CORS(services.settings)
        caching = APICaching(services.settings)
        let settings = services.settings.cache
        answers = AnswerCache(
            keepsAnswers ? feed : nil, bytes: settings.answerBytes, staleness: settings.staleness)
        personal = rows.map { services.reading(.sharing($0)) } ?? services
        log = RequestLog(
            access: services.settings.accessLog.map { (Logger(label: RequestLog.label), $0) },
            logger: services.logger, slow: services.settings.slowRequest,
            proxies: services.settings.trustedProxies)
    }

    /// What the finished answers do; `nil` if none are kept. Must be read on the loop.
    public var answerStatistics: CacheStatistics? { answers.statistics }

    public func respondFromMemory(
        to request: Request, from peer: ClientAddress, for recipient: any ResponseRecipient
    ) -> Recollection {
        switch answers.find(request) {
        case .constant(var response):
            response.requestID = requestID(of: request, from: peer).text
            return .response(response)
        case .unchecked(let candidate):
            answers.feed?.check { [self] isAnswered in
                recipient.receive(
                    response(candidate, isChecked: isAnswered, to: request, from: peer),
                    to: request)
            }
            return .pending
        case nil: return .nothing
        }
    }

    public func client(of request: Request, from peer: ClientAddress) -> ClientAddress {
        services.settings.trustedProxies.client(of: request, peer: peer)
    }

    /// Checks who sends a large body before it is read. That costs one unit, so that it can't be tried
    /// without end.
    public func refusal(of head: Request, from peer: ClientAddress) async -> Response? {
        var exchange = Exchange(head, from: peer, services, router, costs: .plain)
        guard case .found(let route, let parameters) = exchange.match else {
            return await respond(exchange)
        }
        do {
            if let allowance = exchange.allowance { try count(head, from: peer, allowance) }
            try checkDatabase(exchange)
            try await recogniseVisitor(&exchange, services)
            try crossOrigin.check(exchange)
            try await route.admit(makeCall(exchange, parameters, services))
            return nil
        } catch {
            var response = refusal(error, exchange)
            exchange.allowance?.settle(&response)
            response.requestID = exchange.id.text
            return response
        }
    }

    public func respond(to request: Request, from peer: ClientAddress) async -> Response {
        let exchange = Exchange(request, from: peer, services, router)
        guard isTraced(request) else { return await respond(exchange) }
        return await RequestSpan.around(exchange, services.settings.trustedProxies) {
            await respond(exchange)
        }
    }

    private func isTraced(_ request: Request) -> Bool {
        services.settings.isTraced && !Signals.paths.contains(request.target.path)
    }

    private func respond(_ exchange: Exchange) async -> Response {
        var response: Response
        do {
            if let allowance = exchange.allowance {
                try count(exchange.request, from: exchange.peer, allowance)
            }
            try checkDatabase(exchange)
            response = await shared(exchange)
        } catch {
            response = refusal(error, exchange)
        }
        exchange.allowance?.settle(&response)
        response.requestID = exchange.id.text
        return response
    }

    public func answered(
        _ request: Request, from peer: ClientAddress, with response: Response,
        after duration: Duration
    ) {
        metrics.record(request, response, duration)
        var response = response
        if isTraced(request), response.traceID == nil {
            RequestSpan.record(
                request, from: peer, &response, duration, services.settings.trustedProxies)
        }
        log.note(request, from: peer, with: response, after: duration)
    }

    // MARK: Answers from memory

    /// - Returns: `nil` if the answer is not current.
    private func response(
        _ candidate: AnswerCache.Candidate, isChecked: Bool, to request: Request,
        from peer: ClientAddress
    ) -> Response? {
        guard var response = answers.response(candidate, isChecked: isChecked) else { return nil }
        let id = requestID(of: request, from: peer)
        let kind = candidate.kind
        let allowance =
            kind.isAPI
            ? Allowance(services.rateLimiter, kind.budget(request.method), .kept) : nil
        do {
            try countKept(kind, request, from: peer, allowance)
        } catch {
            let route = response.route
            response = refusal(error, Exchange(request, from: peer, services, id, kind: kind))
            response.route = route
        }
        allowance?.settle(&response)
        response.requestID = id.text
        return response
    }

    /// Makes an answer, which is kept for everyone if possible. An answer that is being made already
    /// is waited for.
    private func shared(_ exchange: Exchange) async -> Response {
        guard exchange.isForEveryone else {
            return await make(exchange, exchange.mayBeSignedIn ? personal : services)
        }
        let isPrepared = await replicas?.prepare() == true
        /// - Parameter recorder: `nil` if the response is not to be cached.
        func reading(_ recorder: DependencyRecorder? = nil) -> Services {
            guard isPrepared || recorder != nil else { return services }
            return services.reading(.forEveryone(recorder, isPrepared ? replicas?.reads() : nil))
        }
        guard let feed = answers.feed else { return await make(exchange, reading()) }
        if !isPrepared {
            guard await feed.catchUp() else { return await make(exchange, services) }
        }
        let key = answers.key(of: exchange.request)
        for _ in 0..<2 {
            if let fill = answers.begin(key) {
                return await make(exchange, fill, reading(fill.recorder))
            }
            guard await answers.wait(for: key) else { break }
            // What was made may be older than this request.
            if let response = await answers.current(exchange.request) { return response }
        }
        return await make(exchange, reading())
    }

    /// Makes an answer in full, so that it can be kept, and then answers the request's conditions.
    ///
    /// - Parameter services: They note what they read for `fill`.
    private func make(
        _ exchange: Exchange, _ fill: AnswerCache.Fill, _ services: Services
    ) async -> Response {
        let response = await make(exchange.unconditional, services)
        guard response.status == .ok, !response.headerFields.contains(.setCookie),
            response.headerFields[.cacheControl].map({
                !$0.contains("no-store") && !$0.contains("private")
            }) == true
        else {
            answers.end(fill, nil, exchange.kind)
            return response
        }
        let answer = FinishedAnswer(response, isForStrangers: exchange.kind == .page)
        let isKept = answers.end(fill, answer, exchange.kind)
        var suited = answer.response(to: exchange.request) ?? response
        suited.cacheStatus = isKept ? CacheStatus.storedMiss : CacheStatus.miss
        return suited
    }

    private func make(_ exchange: Exchange, _ services: Services) async -> Response {
        var exchange = exchange
        var response: Response
        do {
            try await recogniseVisitor(&exchange, services)
            response = try await answer(exchange, services)
            response = try tag(response, exchange)
        } catch {
            response = self.response(to: error, exchange)
        }
        complete(&response, exchange)
        keep(response, exchange)
        return response
    }

    /// The steps that every response passes, even an error, in this order.
    private func complete(_ response: inout Response, _ exchange: Exchange) {
        response.route = exchange.pattern
        keepApart(&response, exchange)
        caching.apply(to: &response, exchange)
        crossOrigin.add(to: &response, exchange)
        securityFields.add(to: &response, of: exchange.kind)
    }

    public func response(to error: ConnectionError) -> Response {
        // There is no request that could say whether it wants a page.
        let id = RequestID()
        var response = Problem(error).response(
            publicURL: services.settings.publicURL, requestID: id)
        crossOrigin.addToRefusal(&response)
        response.requestID = id.text
        securityFields.add(to: &response, of: .api)
        return response
    }

    /// The most bytes of a body, by the path, where that is more than elsewhere.
    public static var bodyLimits: [String: Int] { Routes.bodyLimits }

    public func response(to error: ConnectionError, at target: RequestTarget?) -> Response {
        guard let target, let limit = Routes.bodyLimits[target.path],
            Routes.kind(of: target) == .page
        else { return response(to: error) }
        // The form of a page, which a person has sent.
        let id = RequestID()
        let problem =
            if case .badRequest(let fault) = error, fault.code == .bodyTooLarge {
                Problem(
                    .contentTooLarge,
                    "The file is too large: it may have at most \(limit / 1_000_000) MB. Go back, and "
                        + "choose another one.")
            } else {
                Problem(error)
            }
        var response = ErrorPage.response(to: problem, PageContext(services))
        response.requestID = id.text
        securityFields.add(to: &response, of: .page)
        return response
    }

    // MARK: Before the answer

    /// - Throws: 429 if the client has used up its limit.
    private func count(
        _ request: Request, from peer: ClientAddress, _ allowance: Allowance
    ) throws(Problem) {
        guard request.method != .options, let network = client(of: request, from: peer).network
        else { return }
        try allowance.charge(.address(network))
    }

    /// Counts a request that is answered from memory.
    ///
    /// - Parameter allowance: `nil` if the client is not told what is left.
    /// - Throws: 429 if the client has used up its limit.
    private func countKept(
        _ kind: AddressKind, _ request: Request, from peer: ClientAddress, _ allowance: Allowance?
    ) throws(Problem) {
        if let allowance { return try count(request, from: peer, allowance) }
        guard let network = client(of: request, from: peer).network else { return }
        try services.rateLimiter.charge(
            .init(client: .address(network), budget: kind.budget(request.method)), .kept)
    }

    /// - Throws: 503 while the server waits for the database at its start, except for what doesn't come
    ///   from there.
    private func checkDatabase(_ exchange: Exchange) throws(Problem) {
        guard services.health.isWaiting else { return }
        if exchange.route?.cost == .nothing, !exchange.mayBeSignedIn { return }
        throw .unavailable("The database cannot be reached. Try again in a moment.")
    }

    /// The complete response to a request that is not answered, such as one of too many.
    private func refusal(_ error: any Error, _ exchange: Exchange) -> Response {
        var response = response(to: error, exchange)
        complete(&response, exchange)
        return response
    }

    /// Finds the visitor who is signed in, for pages only.
    private func recogniseVisitor(
        _ exchange: inout Exchange, _ services: Services
    ) async throws {
        guard exchange.kind == .page else { return }
        exchange.visitor = try await services.visitor(exchange.request)
    }

    // MARK: The answer

    private func answer(_ exchange: Exchange, _ services: Services) async throws -> Response {
        if exchange.request.target.form == .asterisk {
            return Response(
                status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch exchange.match {
        case .found(let route, let parameters):
            try crossOrigin.check(exchange)
            let call = try makeCall(exchange, parameters, services)
            if exchange.kind == .api { try call.checkNamesOnce() }
            return try await route.respond(call)
        case .methodNotImplemented:
            throw Problem(.notImplemented, "No address here supports this method.")
        case .methodNotAllowed(let allowed, _):
            let problem = Problem.methodNotAllowed(allowed)
            guard exchange.request.method == .options else { throw problem }
            return crossOrigin.preflight(exchange, methods: allowed)
                ?? Response(status: .noContent, headerFields: problem.headerFields)
        case .notFound:
            if let path = pathWithoutSlash(exchange) { return .redirect(to: path) }
            throw Problem.notFound("Check the link, or search for a game.")
        }
    }

    private func makeCall(
        _ exchange: Exchange, _ parameters: PathParameters, _ services: Services
    ) throws(RequestError) -> Call {
        try Call(
            exchange.negotiatedRequest, id: exchange.id, parameters: parameters, services: services,
            client: exchange.client, visitor: exchange.visitor, allowance: exchange.allowance)
    }

    /// The address of the page that is there without the slash at the end, if there is one.
    private func pathWithoutSlash(_ exchange: Exchange) -> String? {
        let target = exchange.request.target
        guard exchange.kind == .page, exchange.request.method.isRead, target.segments.last == "",
            case .found(let route, _) = router.match(.get, target.segments.dropLast()),
            route.kind == .page
        else { return nil }
        return target.path.dropLast() + (target.query.map { "?\($0)" } ?? "")
    }

    /// Gives a response a tag, unless its handler has given it one, and compresses it.
    private func tag(_ response: Response, _ exchange: Exchange) throws -> Response {
        guard exchange.request.method.isRead, response.status == .ok,
            !response.headerFields.contains(.eTag),
            response.headerFields[.cacheControl] != "no-store"
        else { return response }
        return try response.conditional(for: exchange.negotiatedRequest, gzip: services.gzip)
    }

    private func response(to error: any Error, _ exchange: Exchange) -> Response {
        if let moved = error as? Moved { return .temporaryRedirect(to: moved.path) }
        if exchange.kind == .v0 {
            return V0Error(error, logger: exchange.logger).response(to: exchange.request)
        }
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: exchange.logger)
        return switch exchange.kind {
        case .api, .v0, .document:
            problem.response(publicURL: services.settings.publicURL, requestID: exchange.id)
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file:
            ErrorPage.response(to: problem, PageContext(services, visitor: exchange.visitor))
        }
    }

    // MARK: After the answer

    /// Tells caches not to mix up what different people see.
    private func keepApart(_ response: inout Response, _ exchange: Exchange) {
        guard exchange.kind == .page else { return }
        response.headerFields.vary(by: "Cookie")
        if exchange.visitor != nil, response.headerFields[.cacheControl] == "no-cache" {
            response.headerFields[.cacheControl] = "private, no-cache"
        }
    }

    /// Keeps a response that stays the same.
    private func keep(_ response: Response, _ exchange: Exchange) {
        guard exchange.route?.isConstant == true else { return }
        answers.keepConstant(
            response, to: exchange.request, isForStrangers: exchange.kind == .page)
    }

    private func requestID(of request: Request, from peer: ClientAddress) -> RequestID {
        RequestID(of: request, isTrusted: services.settings.trustedProxies.contains(peer))
    }
}
