import Foundation
import Postgres

/// Sessions to a database that the tests are done with: a new one takes PostgreSQL some milliseconds,
/// and more for each statement that it has not planned before.
// @unchecked: `lock` guards `sessions`, and a session in it that nobody else refers to is used by
// nobody else.
final class IdleSessions: @unchecked Sendable {
    private let lock = NSLock()
    private var sessions: [BlockingSession] = []

    /// A session that only the caller has, until the caller's last reference to it goes.
    func session(to url: String) throws -> BlockingSession {
        lock.lock()
        defer { lock.unlock() }
        for index in sessions.indices.reversed()
        where isKnownUniquelyReferenced(&sessions[index]) {
            let session = sessions[index]
            // This fails in a transaction, and if the server has closed the session.
            if (try? session.execute("DISCARD ALL")) != nil { return session }
            sessions.remove(at: index)
        }
        let session = try BlockingSession(connectionString: url, applicationName: "test")
        sessions.append(session)
        return session
    }
}
