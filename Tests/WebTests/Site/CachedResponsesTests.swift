import Endpoints
import Freshness
import HTTP
import HTTPTypes
import Languages
import Postgres
import Storage
import TestSupport
import Testing

@testable import Web

@Suite("Whether a response is cached for others", .blocking)
struct CachedResponsesTests {
    /// A response made from the database, and whether it may be cached.
    struct Made: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var caching = Caching.revalidated
        var mayBeCached = false
        let finish: @Sendable (inout Response) -> Void
    }

    static let responses = [
        Made(testDescription: "its route allows it", mayBeCached: true) { _ in },
        Made(
            testDescription: "its route lets everyone store it",
            caching: .everywhere(seconds: 60), mayBeCached: true
        ) { _ in },
        Made(testDescription: "other words in Cache-Control", mayBeCached: true) {
            $0.headerFields[.cacheControl] = "max-age=60, x=\"no-store, private\""
        },
        Made(testDescription: "its route forbids it", caching: .never) { _ in },
        Made(testDescription: "its handler forbids it") { $0.forbidCaching() },
        Made(testDescription: "it sets a cookie") { $0.headerFields[.setCookie] = "a=b" },
        Made(testDescription: "it is an error") { $0.status = .notFound },
    ]

    @Test("is what its route and its handler say", arguments: responses)
    func cacheability(made: Made) async throws {
        try await Services.on(TestDatabase()) { services, pool in
            let route = Web.Route(
                .get, "/made-for-this", .page, returns: .response, caching: made.caching
            ) { context in
                _ = try await context.services.store.platforms()
                var response = Response(body: [0x70])
                made.finish(&response)
                return response
            }
            let router = Routes.router(route)
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                let keys = ResponseKeys(services.health.maintenance)
                let cached = CachedResponses(services, keys, feed: ChangeFeed(pool), rows: nil)
                let context = try IncomingRequest(services, router, target: "/made-for-this")
                var makings = 0
                func respond() async throws -> Response {
                    await cached.response(to: context) { context, services in
                        makings += 1
                        let steps = RouteStep(router, services.settings)
                        let response = try? await steps.respond(context, services)
                        return response ?? Response(status: .internalServerError)
                    }
                }
                let first = try await respond()
                let isStored = first.message.contains("fave-games; fwd=miss; stored\r\n")
                #expect(isStored == made.mayBeCached)
                let candidate = cached.lookUp(
                    keys.key(of: context.request, in: .en), for: context.request)
                #expect((candidate != nil) == made.mayBeCached)
                #expect(makings == 1)
                guard let candidate else { return }
                let hit = try #require(cached.validated(candidate, isChecked: true))
                #expect(hit.body == first.body)
                #expect(hit.message.contains("fave-games; hit; detail=checked\r\n"))
                #expect(cached.validated(candidate, isChecked: false) == nil)
            }
        }
    }

    @Test("is no if people began or ceased to be able to write while it was made")
    func changed() async throws {
        try await Services.on(TestDatabase()) { services, pool in
            let mode = services.health.maintenance
            let router = Routes.router(
                Web.Route(.get, "/made-for-this", .page, returns: .response) { context in
                    _ = try await context.services.store.platforms()
                    mode.set("We move.")
                    mode.set(nil)
                    return Response(body: [0x70])
                })
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                let keys = ResponseKeys(mode)
                let cached = CachedResponses(services, keys, feed: ChangeFeed(pool), rows: nil)
                let context = try IncomingRequest(services, router, target: "/made-for-this")
                let before = keys.key(of: context.request, in: .en)
                let response = await cached.response(to: context) { context, services in
                    let step = RouteStep(router, services.settings)
                    return (try? await step.respond(context, services))
                        ?? Response(status: .internalServerError)
                }
                #expect(response.body == [0x70])
                for key in [before, keys.key(of: context.request, in: .en)] {
                    #expect(cached.lookUp(key, for: context.request) == nil)
                }
            }
        }
    }

    @Test("doesn't matter for one that is for one person")
    func personal() async throws {
        try await Services.forPages { services in
            let cached = CachedResponses(
                services, ResponseKeys(services.health.maintenance), feed: nil, rows: nil)
            let context = try IncomingRequest(
                services, target: "/entries", fields: [.cookie: "session=x"])
            var response = Response()
            response.cacheability = .untilChanged
            let given = await cached.response(to: context) { [response] _, _ in response }
            #expect(given.cacheStatus == nil)
        }
    }
}
