import Endpoints
import HTTPClient
import HTTPTypes
import Postgres
import Web

/// Compares a running server's cached responses with fresh ones from the database.
///
/// The server responds to a request with `If-Match` from the database. It refuses the request if the
/// entity tag of the fresh response differs from that of the cached one.
struct CachedResponsesCheck {
    let publicURL: String
    let client: HTTPClient

    enum Outcome: Equatable {
        case current, outdated
        /// The response did not come from memory, or changed each time.
        case unknown
    }

    /// Addresses that people look at, and others at random.
    static func sample(_ session: BlockingSession) throws(PostgresError) -> [String] {
        let rows = try session.query(
            """
            (SELECT '/@' || u.username, '/api/v1/users/' || u.username || '/list'
             FROM lists l JOIN users u ON u.id = l.user_id
             WHERE l.audience = 'public' AND l.updated_at IS NOT NULL
             ORDER BY l.updated_at DESC LIMIT 5)
            UNION
            (SELECT '/@' || u.username, '/api/v1/users/' || u.username || '/list'
             FROM lists l JOIN users u ON u.id = l.user_id
             WHERE l.audience = 'public' AND l.updated_at IS NOT NULL
               AND l.user_id > (SELECT gen_random_uuid())
             ORDER BY l.user_id LIMIT 5)
            UNION
            (SELECT '/platforms/' || p.slug, '/api/v1/platforms/' || p.id || '/ranking'
             FROM platforms p
             WHERE EXISTS (SELECT FROM included_by WHERE platform_id = p.id AND count > 0)
             ORDER BY random() LIMIT 5)
            """)
        var targets = ["/", "/platforms", "/entries", "/api/v1/platforms"]
        for row in rows { targets += [try row[0], try row[1]] }
        return targets
    }

    func outcome(_ target: String) async -> Outcome {
        do {
            for _ in 0..<5 {
                let cached = try await get(target)
                guard cached.status == .ok else { return .unknown }
                // The first request may have filled the cache.
                guard cached.isFromMemory, let tag = cached.headerFields[.eTag] else { continue }
                switch try await get(target, [.ifMatch: tag]).status {
                case .ok: return .current
                case .preconditionFailed: break
                default: return .unknown
                }
                // It may have changed in between. Then it is another one now.
                let again = try await get(target)
                if again.isFromMemory, again.headerFields[.eTag] == tag { return .outdated }
            }
            return .unknown
        } catch {
            return .unknown
        }
    }

    private func get(
        _ target: String, _ fields: HTTPFields = [:]
    ) async throws(HTTPClientError) -> ClientResponse {
        try await client.send(
            ClientRequest(
                .get, publicURL + target,
                // A shared cache in front must not respond without asking the server.
                headerFields: fields + [.cacheControl: "no-cache"], timeout: .seconds(5)))
    }
}

extension ClientResponse {
    /// Whether fave-server had the response in memory, and PostgreSQL has confirmed it just now. Caches
    /// in front add a value of their own, and the age.
    fileprivate var isFromMemory: Bool {
        headerFields[values: .cacheStatus] == ["fave-games; hit; detail=checked"]
            && headerFields[.age] == nil
    }
}
