import Endpoints
import FaveGames
import Foundation
import Freshness
import HTTP
import HTTPServer
import HTTPTypes
import Identity
import Postgres
import Sockets
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites
@testable import Web

@Suite("A route whose responses may be cached", .blocking)
struct OneStoreTests {
    /// A part of the services that reads, and what a route tells of it.
    struct Part: Sendable, CustomTestStringConvertible {
        let name: String
        var isCacheable = false
        /// A change of what the route tells.
        var change: String?
        let read: @Sendable (Services, UUID) async throws -> String

        var testDescription: String { name }
    }

    static let parts = [
        Part(
            name: "the store", isCacheable: true,
            change: "UPDATE platforms SET name = 'Another name' WHERE id = 6"
        ) { services, _ in try await services.store.platform(.id(6))?.name ?? "" },
        Part(
            name: "the games", isCacheable: true,
            change: "UPDATE games SET name = 'Another name' WHERE id = 71"
        ) { services, _ in try await services.games.game(71)?.game.name.main ?? "" },
        Part(
            name: "the accounts",
            change: "INSERT INTO passwords (user_id, hash) SELECT id, '$scrypt$' FROM users"
        ) { services, rob in
            let user = User(
                id: rob, username: "rob", displayName: "Rob", createdAt: Date(),
                listUpdatedAt: nil)
            return try await services.accounts.hasPassword(user).description
        },
        Part(name: "the authenticator") { services, _ in
            let token = PersonalToken()
            return try await services.authenticator.bearer(token: token.text) == nil ? "no" : "yes"
        },
        Part(name: "the importer") { services, rob in
            try await services.importer.current(userID: rob) == nil ? "no" : "yes"
        },
        Part(name: "the health") { services, _ in
            _ = await services.health.problem(asking: services.store)
            return ""
        },
    ]

    @Test("is told of everything that it reads, by whatever part of the services", arguments: parts)
    func reads(part: Part) async throws {
        let database = try TestDatabase()
        let rob: UUID = try database.session().query(
            "INSERT INTO users (username, display_name) VALUES ('rob', 'Rob') RETURNING id")[0][0]
        var router = Router<Web.Route>()
        let route = Web.Route(.get, "/made-for-this", .page, returns: .response) { context in
            // Something whose changes are told, as on each page.
            _ = try await context.services.store.platforms()
            let text = try await part.read(context.services, rob)
            return Response(headerFields: [.cacheControl: "no-cache"], body: Array(text.utf8))
        }
        router.add(route.method, route.pattern, route)
        let request = try Request(target: "/made-for-this")
        try await Services.on(database) { [router] services, pool in
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                let site = Site(services, router, feed: ChangeFeed(pool))
                // The feed begins to track with the first of them.
                _ = await site.response(to: request)
                let before = await site.response(to: request)
                #expect(before.status == .ok)
                #expect(site.cacheStatistics?.cachedFills == (part.isCacheable ? 1 : 0))
                guard let change = part.change else { return }
                try database.session().execute(change)
                let after = await site.response(to: request)
                #expect(after.status == .ok && after.body != before.body)
            }
        }
    }

    @Test("has no other store within its reach")
    func stores() async throws {
        try await Services.forPages { services in
            let recorder = DependencyRecorder()
            var stores = 0
            var seen: Set<ObjectIdentifier> = []
            func look(at value: Any, _ path: String) {
                if let store = value as? Store {
                    stores += 1
                    guard case .forEveryone(let found) = store.database.reading,
                        found === recorder
                    else {
                        Issue.record("\(path) reads from another store")
                        return
                    }
                    return
                }
                if type(of: value) is AnyObject.Type,
                    !seen.insert(ObjectIdentifier(value as AnyObject)).inserted
                {
                    return
                }
                for child in Mirror(reflecting: value).children {
                    let module = String(reflecting: type(of: child.value))
                    guard Self.modules.contains(where: { module.contains("\($0).") }) else {
                        continue
                    }
                    look(at: child.value, "\(path).\(child.label ?? "")")
                }
            }
            look(at: services.reading(.forEveryone(recorder)), "services")
            #expect(stores >= 5)
        }
    }

    /// Those that know the store.
    private static let modules = [
        "Storage", "Identity", "Imports", "GameSearch", "ShareCard", "Web",
    ]
}

extension Site {
    /// Responds from memory if possible, as the server does.
    fileprivate func response(to request: Request) async -> Response {
        final class Recipient: ResponseRecipient {
            let continuation: CheckedContinuation<Response?, Never>

            init(_ continuation: CheckedContinuation<Response?, Never>) {
                self.continuation = continuation
            }

            func receive(_ response: Response?, to request: Request) {
                continuation.resume(returning: response)
            }
        }
        let known = await withCheckedContinuation { continuation in
            switch respondFromMemory(to: request, from: .local, for: Recipient(continuation)) {
            case .response(let response): continuation.resume(returning: response)
            case .nothing: continuation.resume(returning: nil)
            case .pending: break
            }
        }
        if let known { return known }
        return await respond(to: request, from: .local)
    }
}
