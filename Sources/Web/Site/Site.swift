import Endpoints
import Freshness
public import HTTP
public import HTTPServer
import Languages
public import Sockets

/// Responds to every request of one loop. Each step is a value in a file of its own, and this file says in
/// which order they are taken: from memory, by a handler, or for the head of a large body.
public final class Site: Responder {
    let services: Services
    private let keys: ResponseKeys
    private let languages: PageLanguages

    // The steps.
    private let constants: ConstantResponses
    let cached: CachedResponses
    private let limits: LimitStep
    private let start: StartStep
    private let maintenance: MaintenanceStep
    private let visitors: VisitorStep
    private let routes: RouteStep
    let errors: ErrorStep
    private let tags: TagStep
    let fields: FieldStep

    let observer: RequestObserver

    /// - Parameters:
    ///   - feed: The loop's feed; `nil` if responses from the database are not to be cached.
    ///   - rows: What the responses for people who are signed in share; `nil` if nothing is cached.
    init(
        _ services: Services, _ router: Router<Route>, feed: ChangeFeed?, rows: SharedRows? = nil
    ) {
        let settings = services.settings
        self.services = services
        keys = ResponseKeys(services.health.maintenance)
        languages = PageLanguages(settings, router)
        constants = ConstantResponses(keys)
        cached = CachedResponses(services, keys, feed: feed, rows: rows)
        limits = LimitStep(services)
        start = StartStep(health: services.health)
        maintenance = MaintenanceStep(mode: services.health.maintenance, router: router)
        visitors = VisitorStep(languages: languages)
        routes = RouteStep(router, settings)
        errors = ErrorStep(services: services, router: router)
        tags = TagStep(gzip: services.gzip)
        fields = FieldStep(settings)
        observer = RequestObserver(services)
    }

    public func respondFromMemory(
        to request: Request, from peer: ClientAddress, for recipient: any ResponseRecipient
    ) -> Recollection {
        guard CachedResponse.maySuit(request) else { return .nothing }
        let key = keys.key(of: request, in: languages.language(of: request))
        if let constant = constants.lookUp(key) {
            guard var response = constant.response(to: request) else { return .nothing }
            response.requestID = services.requestID(of: request, from: peer).text
            return .response(response)
        }
        guard let candidate = cached.lookUp(key, for: request) else { return .nothing }
        cached.check { [self] isChecked in
            recipient.receive(
                hit(candidate, key.language, isChecked: isChecked, to: request, from: peer),
                to: request)
        }
        return .pending
    }

    private func hit(
        _ candidate: CachedResponses.Candidate, _ language: Language, isChecked: Bool,
        to request: Request, from peer: ClientAddress
    ) -> Response? {
        guard var response = cached.validated(candidate, isChecked: isChecked) else { return nil }
        let id = services.requestID(of: request, from: peer)
        let kind = candidate.kind
        let allowance = limits.allowance(ofHit: kind, request.method)
        do {
            try limits.chargeHit(request, from: peer, of: kind, allowance)
        } catch {
            let route = response.route
            response = refusal(
                error, IncomingRequest(request, from: peer, services, id, kind: kind, language))
            response.route = route
        }
        return finished(response, id, allowance)
    }

    public func respond(to request: Request, from peer: ClientAddress) async -> Response {
        await respond(IncomingRequest(request, from: peer, services, routes.router, languages))
    }

    private func respond(_ context: IncomingRequest) async -> Response {
        let response: Response
        do {
            try limits.charge(context)
            try start.check(context)
            try maintenance.check(context)
            response = await cached.response(to: context) { await make($0, $1) }
        } catch {
            response = refusal(error, context)
        }
        return finished(response, context.id, context.allowance)
    }

    private func make(_ context: IncomingRequest, _ services: Services) async -> Response {
        let era = keys.era
        var context = context
        var response: Response
        do {
            try await visitors.recognise(&context, services)
            response = try await routes.respond(context, services)
            response = try tags.tagged(response, context)
        } catch {
            response = errors.response(to: error, context)
        }
        fields.complete(&response, context)
        constants.store(response, context, of: era)
        return response
    }

    /// Checks who sends a large body before it is read. That costs one unit, so that it can't be tried
    /// without end.
    public func refusal(of head: Request, from peer: ClientAddress) async -> Response? {
        var context = IncomingRequest(
            head, from: peer, services, routes.router, languages, costs: .plain)
        guard context.route != nil else { return await respond(context) }
        do {
            try limits.charge(context)
            try start.check(context)
            try maintenance.check(context)
            try await visitors.recognise(&context, services)
            try await routes.admit(context, services)
            return nil
        } catch {
            return finished(refusal(error, context), context.id, context.allowance)
        }
    }

    private func refusal(_ error: any Error, _ context: IncomingRequest) -> Response {
        var response = errors.response(to: error, context)
        fields.complete(&response, context)
        return response
    }

    /// The response with what differs from request to request.
    private func finished(
        _ response: consuming Response, _ id: RequestID, _ allowance: Allowance?
    ) -> Response {
        allowance?.settle(&response)
        response.requestID = id.text
        return response
    }
}
