import Foundation
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("A report for everyone to read", .blocking)
struct SetupReportTests {
    private static let marker = "s3cretmark"

    /// A valid value of a setting that names something that the report must not.
    private static let marked: [String: String] = [
        "HOST": "\(marker).example", "PUBLIC_URL": "http://\(marker).localhost:1",
        "SOURCE_URL": "https://\(marker).example",
        "COVER_IMAGES_URL": "https://\(marker).example/x",
        "CONTACT": "\(marker)@site.example", "CORS_ORIGINS": "https://\(marker).example",
        "OIDC_ISSUER": "http://\(marker).localhost:1",
        "OIDC_2_ISSUER": "http://\(marker).localhost:2",
        "OIDC_3_ISSUER": "http://\(marker).localhost:3", "OIDC_SCOPES": "openid \(marker)",
        "OIDC_2_SCOPES": "openid \(marker)", "OIDC_3_SCOPES": "openid \(marker)",
        "JWT_ISSUER": "http://\(marker).localhost:4",
        "JWKS_URL": "http://\(marker).localhost:1/keys",
        "SMTP_URL": "smtp://\(marker).localhost:1", "SMTP_FROM": "\(marker)@site.example",
        "IGDB_URL": "http://\(marker).localhost:1",
        "TWITCH_TOKEN_URL": "http://\(marker).localhost:1",
        "TRUSTED_PROXIES": "2001:db8:5ec7::/48", "ADMIN_LISTEN": "unix:/tmp/\(marker)",
        "MODERATION_WEBHOOK_URL": "http://\(marker).localhost:1/hook",
        "MODERATION_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ]

    /// Parts of values that mustn't be in the report.
    private static let secrets = [marker, "2001:db8:5ec7", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]

    @Test("has nothing of any value that could name someone or something, also if all are set")
    func values() async throws {
        let database = try TestDatabase(.migrated)
        var environment = ["DATABASE_URL": database.url + " application_name=\(Self.marker)"]
        try await TemporaryFolder.with { folder in
            let file = "\(folder.path)/\(Self.marker)"
            try folder.write(Self.marker, Data("text".utf8))
            for setting in Settings.all where environment[setting.name] == nil {
                guard !setting.isShareable else { continue }
                let isFile = setting.name.hasSuffix("_FILE") || setting.name == "COVERS_FOLDER"
                environment[setting.name] =
                    Self.marked[setting.name] ?? (isFile ? file : Self.marker)
            }
            // No certificate is there.
            for name in ["TLS_CERTIFICATE_FILE", "TLS_KEY_FILE"] { environment[name] = nil }
            let report = try await Program.admin.run(
                ["doctor", "--report"], environment: environment
            ).output
            #expect(report.contains("Findings\n    ok    settings: valid"), "\(report)")
            for secret in Self.secrets + [database.name] {
                #expect(!report.contains(secret), "\(report)")
            }
            for name in environment.keys {
                #expect(report.contains("    \(name): (set)\n"), "\(name)")
            }
        }
    }

    @Test("has nothing of a value that isn't valid: it may be another setting's")
    func invalid() async throws {
        for setting in Settings.all {
            let reader = SettingsReader(environment: [setting.name: Self.marker + "\n:"])
            let text = reader.shareableText(setting)
            #expect(["(set)", "(not valid)"].contains(text), "\(setting.name): \(text ?? "-")")
        }
        let outcome = try await Program.admin.run(
            ["doctor", "--report"],
            environment: [
                "PORT": Self.marker, "DATABASE_URL": "mysql://u:\(Self.marker)@h/x",
                "PORT_\(Self.marker)": "1", "SMTP_\(Self.marker)": "x",
            ])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("PORT: (not valid)"))
        #expect(outcome.output.contains("BAD   settings: (not shown here)"))
        #expect(!outcome.output.contains(Self.marker), "\(outcome.output)")
    }

    @Test("has nothing of what people and roles are called, whatever is wrong")
    func database() async throws {
        let database = try TestDatabase(.seeded)
        let session = try database.session()
        let role = "\(database.name)_\(Self.marker)"
        try session.execute(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role);
            CREATE TABLE \(Self.marker)_of_another_program (a integer);
            ALTER ROLE \(role) SET synchronous_commit = off;
            """)
        defer { try? session.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
        for url in [
            database.url.replacing("user=fave", with: "user=\(role)"),
            "host=/nowhere/\(Self.marker) user=\(Self.marker)",
        ] {
            let outcome = try await Program.admin.run(
                ["doctor", "--report"], environment: ["DATABASE_URL": url])
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("BAD   "))
            #expect(!outcome.output.contains(Self.marker), "\(outcome.output)")
        }
    }

    @Test("has nothing of what the operator tells people")
    func message() async throws {
        let database = try TestDatabase(.seeded)
        let begun = try await Program.admin.run(
            ["maintenance-mode", "--begin", "We move to \(Self.marker)."], database: database)
        #expect(begun.status == 0, "\(begun.errors)")
        let outcome = try await Program.admin.run(["doctor", "--report"], database: database)
        #expect(outcome.output.contains("note  maintenance mode: (not shown here)"))
        #expect(!outcome.output.contains(Self.marker), "\(outcome.output)")
    }

    @Test("says which versions run, what is set, and how large the tables are")
    func contents() async throws {
        let database = try TestDatabase(.seeded)
        try database.session().execute("ANALYZE")
        let outcome = try await Program.admin.run(
            ["doctor", "--report"], database: database,
            environment: ["LOOPS": "2", "SIGN_UP": "invite", "SITE_NAME": "Couch Club"])
        #expect(outcome.status == 0, "\(outcome.output)")
        for pattern in [
            /Fave Games \d+\.\d+\.\d+.*, schema \d+/, /the database's schema: \d+/,
            /ok    database: PostgreSQL \d+/, /\n    LOOPS: 2\n/, /\n    SIGN_UP: invite\n/,
            /\n    SITE_NAME: \(set\)\n/, /\n    games: about \d+ rows, \d+ KiB\n/,
            /\n    .+, Linux \d+\.\d+/,
        ] as [Regex<Substring>] {
            #expect(outcome.output.contains(pattern), "\(outcome.output)")
        }
        #expect(!outcome.output.contains("Couch"))
    }
}
