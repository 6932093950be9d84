import App
import FaveGames
import Foundation
import Migrations
import Postgres
import Storage
import StorageWrites
import Synchronization

/// A database of a test's own, dropped with it.
public final class TestDatabase: Sendable {
    static let migrations = Result { try Migration.embedded() }

    public enum Contents: String, Sendable {
        case empty
        /// The schema and nothing in it.
        case migrated
        /// The schema with the platforms and the starter catalogue.
        case seeded
    }

    public let name: String
    private let cluster: TestCluster
    private let idleSessions = IdleSessions()

    public init(_ contents: Contents = .seeded, in cluster: TestCluster = .shared) throws {
        self.cluster = cluster
        name = "test_\(cluster.nextNumber())"
        let template = try Self.template(contents, in: cluster)
        // Copying files takes a quarter of the time that logging each page does.
        try cluster.administer(
            "CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy")
    }

    deinit {
        try? cluster.administer("DROP DATABASE \(name) WITH (FORCE)")
    }

    /// As libpq takes it.
    public var url: String { cluster.url(name) }

    /// A session that only the caller has, until the caller's last reference to it goes. Then its
    /// transaction, if any, is rolled back before somebody else gets the session.
    public func session() throws -> BlockingSession { try idleSessions.session(to: url) }

    /// The folder of the repository's migrations.
    public static let migrationsFolder = repository + "/Migrations"
    /// The folder of the files that pages need.
    public static let assetsFolder = repository + "/Views/assets"

    public static let repository: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.path
    }()

    /// Copying a database is much quicker than making one.
    private static let templates = Mutex<[String: String]>([:])

    private static func template(_ contents: Contents, in cluster: TestCluster) throws -> String {
        guard contents != .empty else { return "template0" }
        return try templates.withLock { templates in
            // Not by its address: another cluster may get that of one that is gone.
            let key = "\(cluster.folder) \(contents)"
            if let name = templates[key] { return name }
            let name = "template_\(contents.rawValue)_\(cluster.nextNumber())"
            try cluster.administer("CREATE DATABASE \(name) TEMPLATE template0")
            let session = try BlockingSession(
                connectionString: cluster.url(name), applicationName: "test")
            _ = try Migrator(session, migrations.get()).migrate()
            if contents == .seeded {
                _ = try BulkStore(session).seed(StarterData.platforms())
                _ = try BulkStore(session).seed(
                    StarterData.demoGames().map { seed in
                        // Without covers, which browsers would look for on the internet.
                        let game = Game(
                            id: seed.game.id, name: seed.game.name,
                            releaseYear: seed.game.releaseYear, coverImageID: nil)
                        return GameSeed(game: game, platformIDs: seed.platformIDs, fame: seed.fame)
                    })
                try BulkStore(session).analyze()
            }
            templates[key] = name
            return name
        }
    }
}
