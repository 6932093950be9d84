import Endpoints
import FaveGames
import Foundation
import Languages
import Outbox
import Postgres
import TestSupport
import Testing
import Web

@testable import App

@Suite("Settings", .blocking)
struct SettingsTests {
    private static func settings(_ environment: [String: String]) throws -> ServerSettings {
        try ServerSettings(SettingsReader(environment: environment))
    }

    /// What an operator is told about an environment, `nil` if it is fine.
    private static func complaint(_ environment: [String: String]) -> String? {
        do {
            _ = try settings(environment)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func withFile<Result>(
        _ contents: String, _ body: (String) throws -> Result
    ) throws -> Result {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-setting-\(UUID().uuidString)")
        try Data(contents.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try body(url.path)
    }

    @Test("have defaults that let a server start on this machine only")
    func defaults() throws {
        let settings = try Self.settings([:])
        #expect(settings.host == "127.0.0.1")
        #expect(settings.port == 8080)
        #expect(settings.loops >= 1)
        #expect(settings.database.connectionString == "")
        #expect(settings.web.publicURL == "http://127.0.0.1:8080")
        #expect(settings.web.strictTransportLifetime == 31_536_000)
        #expect(settings.web.crossOrigins == .these([]))
        #expect(settings.web.rateLimits.reads == 600)
        #expect(settings.web.rateLimits.writes == 120)
        #expect(settings.web.rateLimits.pages == 3000)
        #expect(settings.trustedIssuers.isEmpty)
    }

    @Test("with typing errors in their names are noticed")
    func misspelled() {
        for (name, meant) in [
            ("DATABSE_URL", "DATABASE_URL"), ("DATABASE_URl", "DATABASE_URL"), ("PORTS", "PORT"),
            ("PUBLIC_ULR", "PUBLIC_URL"), ("FAVE_PORT", "PORT"), ("FAVE_PUBLIC_URL", "PUBLIC_URL"),
            ("OIDC_2_ISUER", "OIDC_2_ISSUER"),
            ("IGDB_CLIENT_SECRET_FIEL", "IGDB_CLIENT_SECRET_FILE"),
            ("TRUSTED_PROXY", "TRUSTED_PROXIES"), ("TLS_CERT_FILE", "TLS_CERTIFICATE_FILE"),
            ("TLS_CERT", "TLS_CERTIFICATE_FILE"), ("IGDB_SECRET", "IGDB_CLIENT_SECRET"),
            ("IGDB_SECRET_FILE", "IGDB_CLIENT_SECRET_FILE"), ("SMTP_USERNAME", "SMTP_USER"),
            ("HTTP_PORT", "PORT"), ("CACHE", "CACHE_MEGABYTES"), ("JWT_KEY_FILE", "JWKS_URL"),
            ("BLOCKED_WORDS", "REFUSED_WORDS"), ("BLOCKED_WORDS_FILE", "REFUSED_WORDS_FILE"),
        ] {
            #expect(
                Settings.warnings(about: [name])
                    == ["\(name) is not a setting; did you mean \(meant)?"])
        }
        let others = [
            "PORT", "HOST", "OIDC_3_CLIENT_SECRET_FILE", "HOME", "PATH", "LANG", "TERM", "USER",
            "SHELL", "PWD", "LOGNAME", "HOSTNAME", "PGHOST", "PGPORT", "TZ", "NOTIFY_SOCKET", "",
            "HTTP_PROXY", "NO_PROXY", "SESSION_MANAGER", "LOG_NAME", "CACHE_DIRECTORY",
            "SOURCE_DATE_EPOCH", "SSL_CERT_FILE",
        ]
        #expect(Settings.warnings(about: others).isEmpty)
    }

    @Test("that were removed are noticed")
    func removed() {
        for name in [
            "MAX_BODY_BYTES", "DATABASE_QUEUE", "HTTP_REDIRECT_PORT", "DATABASE_REPLICA_URL",
        ] {
            #expect(
                Settings.warnings(about: [name])
                    == ["\(name) is no longer a setting: remove it"])
        }
    }

    @Test("that leave out the proxy in front of the site are noticed")
    func forgottenProxy() throws {
        let https = ["PUBLIC_URL": "https://fave.example"]
        func warnings(_ more: [String: String]) throws -> [String] {
            try Self.settings(https.merging(more) { $1 }).warnings
        }
        #expect(try warnings([:]).map { $0.contains("set TRUSTED_PROXIES to") } == [true])
        #expect(
            try warnings(["HOST": "unix:/x"]).map { $0.hasSuffix("set TRUSTED_PROXIES=local") }
                == [true])
        for fine in [
            ["TRUSTED_PROXIES": "127.0.0.1"], ["HOST": "unix:/x", "TRUSTED_PROXIES": "local"],
            ["TLS_CERTIFICATE_FILE": "/a", "TLS_KEY_FILE": "/b"],
            ["PUBLIC_URL": "http://fave.example"],
        ] {
            #expect(try warnings(fine).isEmpty, "\(fine)")
        }
    }

    @Test("of the cache turn it off with 0")
    func cache() throws {
        #expect(try Self.settings([:]).cachesResponses)
        #expect(try !Self.settings(["CACHE_MEGABYTES": "0"]).cachesResponses)
    }

    @Test("that no other program could mean are named with those that begin alike")
    func unlike() {
        #expect(
            Settings.warnings(about: ["SMTP_HOST"]) == [
                """
                SMTP_HOST is not a setting; those that begin with SMTP_ are SMTP_URL, SMTP_FROM, \
                SMTP_USER, SMTP_PASSWORD, SMTP_CA_FILE
                """
            ])
    }

    @Test("that are wrong are all named at once, each once, and none because another one is wrong")
    func allAtOnce() {
        let reader = SettingsReader(environment: [
            "PORT": "many", "DATABASE_URL": "mysql://u:s3cret@h/db", "PUBLIC_URL": "fave.example",
            "LOG_LEVEL": "loud", "SMTP_FROM": "a@b.example",
            "IGDB_CLIENT_ID": "x", "OIDC_2_SCOPES": "email", "OIDC_3_ISSUER": "https://id.example",
            "HOST": "0.0.0.0 PORT=443",
        ])
        let error = #expect(throws: SettingError.self) { try ServerSettings(reader) }
        let problems = error?.problems ?? []
        let beginnings = [
            "HOST is \"0.0.0.0 PORT=443\"; it must be an address", "PORT is \"many\"; it must be",
            "LOG_LEVEL is \"loud\"; it must be",
            "DATABASE_URL must be a connection string of libpq",
            "OIDC_2_SCOPES is set, but OIDC_2_ISSUER and OIDC_2_CLIENT_ID are not.",
            "OIDC_3_ISSUER is set, but OIDC_3_CLIENT_ID is not.",
            "SMTP_FROM is set, but SMTP_URL is not.",
            "IGDB_CLIENT_ID and IGDB_CLIENT_SECRET must be set together.",
        ]
        #expect(problems.count == beginnings.count, "\(problems)")
        for (problem, beginning) in zip(problems, beginnings) {
            #expect(problem.hasPrefix(beginning))
        }
        #expect(!problems.joined().contains("s3cret"))
    }

    @Test("that are wrong are shown without the user and the password of an address")
    func credentials() throws {
        for (name, value, shown) in [
            ("IGDB_URL", "ftp://u:s3cret@igdb.example/v4", "ftp://…@igdb.example/v4"),
            ("TWITCH_TOKEN_URL", "u:s3cret@id.example", "…@id.example"),
            ("COVER_IMAGES_URL", "https://u:s3cret@h.example/", "https://…@h.example/"),
            ("PUBLIC_URL", "https://u:s3/cret@fave.example", "https://…@fave.example"),
            ("SOURCE_URL", "http://s3cret@code.example", "http://…@code.example"),
            ("CORS_ORIGINS", "https://a,https://u:s3cret@b/", "https://…@b/"),
        ] {
            let complaint = try #require(Self.complaint([name: value]))
            #expect(complaint.hasPrefix("\(name) is \"\(shown)\"; it must be"), "\(complaint)")
            #expect(!complaint.contains("s3cret"))
        }
        let from = try #require(
            Self.complaint(["SMTP_URL": "smtp://m.example", "SMTP_FROM": "a@b@c"]))
        #expect(from.hasPrefix("SMTP_FROM is \"a@b@c\""), "it is no address of a host")
    }

    @Test("that are wrong are all said by the programs, without secrets")
    func programs() async throws {
        let environment = [
            "DATABASE_URL": "mysql://u:s3cret@127.0.0.1/db?ssl=1", "PORT": "many",
            "TRUSTED_PROXY": "127.0.0.1",
        ]
        let server = try await Program.server.run(environment: environment)
        let check = try await Program.server.run(["--check"], environment: environment)
        let doctor = try await Program.admin.run(["doctor"], environment: environment)
        let migrate = try await Program.admin.run(["migrate"], environment: environment)
        for outcome in [server, check, doctor, migrate] {
            #expect(outcome.status == 1)
            let said = outcome.output + outcome.errors
            #expect(said.contains("DATABASE_URL must be"))
            #expect(!said.contains("s3cret"))
        }
        #expect(server.errors.contains("PORT is \"many\""))
        for outcome in [check, doctor] {
            #expect(outcome.output.contains("BAD   settings: PORT is \"many\""))
            #expect(outcome.output.contains("BAD   settings: DATABASE_URL must be"))
            #expect(outcome.output.contains("did you mean TRUSTED_PROXIES?"))
        }
    }

    @Test("with refused words are counted by a check, not shown")
    func refusedWords() {
        let (_, findings) = Checkup.settings(
            SettingsReader(environment: ["REFUSED_WORDS": "pills,buy now"]))
        #expect(
            findings.map { "\($0.what): \($0.detail)" } == ["settings: valid", "refused words: 2"])
        #expect(Checkup.settings(SettingsReader(environment: [:])).1.map(\.what) == ["settings"])
    }

    @Test("that make passwords cheap to guess are said")
    func cheapPasswords() throws {
        #expect(try Self.settings([:]).warnings == [])
        #expect(try Self.settings(["PASSWORD_COST": "16"]).warnings == [])
        let warnings = try Self.settings(["PASSWORD_COST": "10"]).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("PASSWORD_COST is 10") == true)
        #expect(warnings.first?.contains("32 times") == true)
    }

    @Test("are all in docs/settings.md, as fave-admin settings --format markdown prints it")
    func document() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/settings.md")
        #expect(try String(contentsOf: file.standardized, encoding: .utf8) == Settings.document)
    }

    @Test("that are given are taken")
    func given() throws {
        let settings = try Self.settings([
            "HOST": "::", "PORT": "0", "LOOPS": "3", "DATABASE_URL": "host=/x dbname=y",
            "DATABASE_CONNECTIONS": "7", "DATABASE_WAIT_SECONDS": "0.5",
            "STATEMENT_TIMEOUT_SECONDS": "1.25", "MAX_CONNECTIONS": "11",
            "PUBLIC_URL": "https://fave.example//", "FEATURED_PLATFORMS": "6, 48",
            "IDLE_TIMEOUT_SECONDS": "3", "HSTS_SECONDS": "0",
            "CORS_ORIGINS": "https://a.example, https://b.example", "API_CACHE_SECONDS": "0",
            "API_READS_PER_MINUTE": "0", "API_WRITES_PER_MINUTE": "7",
            "PAGES_PER_MINUTE": "8",
        ])
        #expect(settings.host == "::")
        #expect(settings.port == 0)
        #expect(settings.loops == 3)
        #expect(settings.database.connectionString == "host=/x dbname=y")
        #expect(settings.database.connections == 7)
        #expect(settings.database.acquisitionTimeout == .milliseconds(500))
        #expect(settings.database.statementTimeout == .milliseconds(1250))
        #expect(settings.http.maximumConnections == 11)
        #expect(settings.http.idleTimeout == .seconds(3))
        #expect(settings.web.publicURL == "https://fave.example")
        #expect(settings.web.featuredPlatforms == [6, 48])
        #expect(settings.web.strictTransportLifetime == 0)
        #expect(settings.web.crossOrigins == .these(["https://a.example", "https://b.example"]))
        #expect(settings.web.cacheLifetime == 0)
        #expect(settings.web.rateLimits.reads == 0)
        #expect(settings.web.rateLimits.writes == 7)
        #expect(settings.web.rateLimits.pages == 8)
    }

    @Test("of games hide those for adults, and leave covers to IGDB's host, by default")
    func games() throws {
        let standard = try Self.settings([:])
        #expect(!standard.showsAdultGames)
        #expect(standard.web.covers == .igdb)
        let settings = try Self.settings([
            "ADULT_GAMES": "shown", "COVERS": "proxied", "COVERS_FOLDER": "/covers",
            "COVERS_MEGABYTES": "3",
        ])
        #expect(settings.showsAdultGames)
        #expect(settings.web.covers == .site)
        #expect(settings.coversFolder == "/covers")
        #expect(settings.coversBytes == 3 << 20)
        let error = #expect(throws: SettingError.self) {
            try Self.settings(["COVERS": "proxied", "COVER_IMAGES_URL": "off"])
        }
        #expect(error?.problems == ["COVERS=proxied needs COVER_IMAGES_URL."])
    }

    @Test("of TLS name certificates and their keys, and make the public address https")
    func tls() throws {
        let settings = try Self.settings([
            "TLS_CERTIFICATE_FILE": "/a.pem, /b.pem", "TLS_KEY_FILE": "/a.key,/b.key",
        ])
        #expect(
            settings.certificates == [
                CertificateFiles(certificate: "/a.pem", key: "/a.key"),
                CertificateFiles(certificate: "/b.pem", key: "/b.key"),
            ])
        #expect(settings.web.publicURL == "https://127.0.0.1:8080")
        #expect(try Self.settings([:]).certificates.isEmpty)
    }

    @Test("of TLS that don't fit together are refused")
    func badTLS() throws {
        let pair = ["TLS_CERTIFICATE_FILE": "/a", "TLS_KEY_FILE": "/b"]
        for (settings, words) in [
            (["TLS_CERTIFICATE_FILE": "/a"], "every certificate must have its key"),
            (["TLS_KEY_FILE": "/a"], "every certificate must have its key"),
            (["TLS_CERTIFICATE_FILE": "/a,/b", "TLS_KEY_FILE": "/c"], "names 2 files"),
            (["TLS_CERTIFICATE_FILE": "/a,", "TLS_KEY_FILE": "/c,"], "comma"),
            (pair.merging(["PUBLIC_URL": "http://x"]) { $1 }, "must be https"),
        ] {
            let complaint = try #require(Self.complaint(settings), "\(settings)")
            #expect(complaint.contains(words), "\(complaint)")
        }
    }

    @Test(
        "name the site's public address as browsers write it, however the operator does",
        arguments: [
            ("HTTPS://Fave.Example:443/", "https://fave.example"),
            ("https://Bücher.example", "https://xn--bcher-kva.example"),
            ("http://fave.example:80", "http://fave.example"),
            ("http://Fave.example:8080", "http://fave.example:8080"),
        ])
    func publicAddress(given: String, form: String) throws {
        #expect(try Self.settings(["PUBLIC_URL": given]).web.publicURL == form)
    }

    @Test("that are empty count as not given")
    func empty() throws {
        let settings = try Self.settings(["PORT": "", "HOST": "", "JWT_ISSUER": ""])
        #expect(settings.port == 8080)
        #expect(settings.host == "127.0.0.1")
    }

    @Test(
        "that cannot be used are refused by name, with the value",
        arguments: [
            ("ADULT_GAMES", "some"), ("COVERS", "proxy"), ("COVERS_MEGABYTES", "0"),
            ("PORT", "65536"), ("PORT", "-1"), ("PORT", "80a"), ("PORT", "8080 "), ("LOOPS", "0"),
            ("LOOPS", "many"), ("DATABASE_CONNECTIONS", "0"), ("DATABASE_CONNECTIONS", "1e1"),
            ("DATABASE_WAIT_SECONDS", "0"), ("DATABASE_WAIT_SECONDS", "soon"),
            ("STATEMENT_TIMEOUT_SECONDS", "-1"), ("STATEMENT_TIMEOUT_SECONDS", "nan"),
            ("STATEMENT_TIMEOUT_SECONDS", "inf"), ("IDLE_TIMEOUT_SECONDS", "86401"),
            ("MAX_CONNECTIONS", "99999999999999999999"), ("CACHE_MEGABYTES", "-1"),
            ("PUBLIC_URL", "fave.example"),
            ("PUBLIC_URL", "ftp://fave.example"), ("PUBLIC_URL", "https://a\"b"),
            ("PUBLIC_URL", "https://fave.example/?x"), ("PUBLIC_URL", "https://fave.example/games"),
            ("PUBLIC_URL", "https://fave.example."), ("PUBLIC_URL", "http://127.1"),
            ("CORS_ORIGINS", "https://a.example:443"), ("CORS_ORIGINS", "https://A.example"),
            ("FEATURED_PLATFORMS", "6,x"),
            ("FEATURED_PLATFORMS", "0"), ("HSTS_SECONDS", "-1"), ("HSTS_SECONDS", "1y"),
            ("CORS_ORIGINS", "a.example"), ("CORS_ORIGINS", "https://a.example/"),
            ("API_CACHE_SECONDS", "-1"), ("API_READS_PER_MINUTE", "many"),
            ("PAGES_PER_MINUTE", "-1"), ("SOURCE_URL", "http://code.example"),
            ("API_WRITES_PER_MINUTE", "-1"), ("WEBHOOK_NETWORKS", "private"),
            ("SITE_NAME", "Two\nlines"), ("SITE_NAME", "a\u{202E}b"), ("SITE_NAME", " "),
            ("SITE_NAME", String(repeating: "x", count: 31)),
            ("SITE_DESCRIPTION", String(repeating: "x", count: 161)),
            ("CONTACT", "jane"), ("CONTACT", "http://couch.example"), ("CONTACT", "javascript:x"),
            ("ACCENT_COLOR", "red"), ("ACCENT_COLOR", "#ffcc00"), ("AI_CRAWLERS", "some"),
            ("SITE_LANGUAGE", "tlh"), ("SITE_LANGUAGE", "en,en-XA"), ("SITE_LANGUAGES", "en,tlh"),
            ("SITE_LANGUAGES", ","), ("SITE_LANGUAGES", "en,EN"),
        ])
    func badValues(name: String, value: String) throws {
        let complaint = try #require(Self.complaint([name: value]))
        #expect(complaint.contains(name))
        #expect(complaint.contains(value))
        #expect(complaint.contains("must be"))
    }

    @Test("of the moderators' webhook belong together, and are never shown")
    func webhooks() throws {
        let (address, secret) = (
            "http://chat.internal:80/s3cret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        )
        let both = ["MODERATION_WEBHOOK_URL": address, "MODERATION_WEBHOOK_SECRET": secret]
        #expect(try Self.settings(both).webhooks.moderators?.address.description == address)
        #expect(
            Self.complaint(["MODERATION_WEBHOOK_URL": address])
                == "MODERATION_WEBHOOK_URL is set, but MODERATION_WEBHOOK_SECRET is not.")
        #expect(
            Self.complaint(["MODERATION_WEBHOOK_SECRET": secret])
                == "MODERATION_WEBHOOK_SECRET is set, but MODERATION_WEBHOOK_URL is not.")
        for (name, value) in [
            ("MODERATION_WEBHOOK_URL", "chat.internal/s3cret"),
            ("MODERATION_WEBHOOK_URL", "https://u:s3cret@chat.internal/"),
            ("MODERATION_WEBHOOK_SECRET", "whsec_s3cret"),
        ] {
            let complaint = try #require(Self.complaint(both.merging([name: value]) { $1 }))
            #expect(complaint.hasPrefix("\(name) must be "))
            #expect(!complaint.contains("s3cret"))
        }
    }

    @Test("of the log are refused if there is no such level or format")
    func logging() {
        for (name, value) in [("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml")] {
            let error = #expect(throws: SettingError.self) {
                try SettingsReader(environment: [name: value]).bootstrapLogging()
            }
            #expect(error?.description.contains(name) == true)
        }
    }

    @Test("that are secret can stand in a file, without its line end")
    func secretsInFiles() throws {
        try Self.withFile("host=/from/file\n") { path in
            let alone = try Self.settings(["DATABASE_URL_FILE": path])
            #expect(alone.database.connectionString == "host=/from/file")
            let both = Self.complaint(["DATABASE_URL_FILE": path, "DATABASE_URL": "host=/x"])
            #expect(both == "DATABASE_URL and DATABASE_URL_FILE are both set: remove one of them.")
            // Others have no such form.
            let other = try Self.settings(["PORT_FILE": path])
            #expect(other.port == 8080)
        }
        let complaint = try #require(Self.complaint(["DATABASE_URL_FILE": "/nonexistent"]))
        #expect(complaint.contains("DATABASE_URL_FILE"))
        #expect(complaint.contains("/nonexistent"))
    }

    @Test("of a trusted issuer are taken when they are complete")
    func trustedIssuer() throws {
        let base = ["JWT_ISSUER": "https://id.example", "JWT_AUDIENCE": "fave"]
        let byURL = try Self.settings(
            base.merging(["JWKS_URL": "https://id.example/jwks"]) { $1 }
        ).trustedIssuers
        #expect(byURL.map(\.issuer) == ["https://id.example"])
        #expect(byURL.map(\.audience) == ["fave"])
        try Self.withFile("{}") { path in
            let byFile = try Self.settings(base.merging(["JWKS_URL": "file://" + path]) { $1 })
            #expect(byFile.trustedIssuers.count == 1)
        }
    }

    @Test(
        "of a trusted issuer are refused when they do not belong together",
        arguments: [
            ["JWT_ISSUER": "a"], ["JWT_AUDIENCE": "b"], ["JWKS_URL": "https://c"],
            ["JWT_ISSUER": "a", "JWT_AUDIENCE": "b"], ["JWT_ISSUER": "a", "JWKS_URL": "https://c"],
            ["JWT_ISSUER": "a", "JWT_AUDIENCE": "b", "JWKS_URL": "ftp://c"],
            ["JWT_ISSUER": "a", "JWT_AUDIENCE": "b", "JWKS_URL": "file:///nonexistent"],
            ["JWT_ISSUER": "a", "JWT_AUDIENCE": "b", "JWKS_URL": "file://host/keys"],
            ["JWT_ISSUER": "a", "JWT_AUDIENCE": "b", "JWKS_URL": "file:///dev/zero"],
        ])
    func badIssuer(environment: [String: String]) throws {
        let complaint = try #require(Self.complaint(environment))
        #expect(complaint.contains("JWT_") || complaint.contains("JWKS_URL"))
    }

    @Test("are all in the help, each once, with the default that holds")
    func help() throws {
        let listing = Settings.listing
        let lines = listing.split(separator: "\n")
        let names = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        #expect(names.count == Set(names).count)
        #expect((60...85).contains(names.count), "\(names.count) are too many to read")
        for name in ["HOST", "PORT", "JWKS_URL", "LOOPS", "OIDC_ISSUER"] {
            #expect(names.contains("  \(name)"), "\(name)")
        }
        // Those that most sites set come first.
        #expect(
            names.prefix(8).map { $0.dropFirst(2) } == [
                "PUBLIC_URL", "TRUSTED_PROXIES", "DATABASE_URL", "SITE_NAME", "CONTACT",
                "RULES_FILE",
                "SMTP_URL", "SMTP_FROM",
            ])
        // Those for tests are read, and listed nowhere.
        for setting in Settings.unlisted.settings {
            #expect(!listing.contains(setting.name))
            #expect(Settings.all.contains { $0.name == setting.name })
            #expect(Settings.warnings(about: [setting.name]).isEmpty)
        }
        #expect(listing.contains("DATABASE_URL_FILE"))
        #expect(!listing.contains("OIDC_2_CLIENT_ID\n"))
        let defaults = try Self.settings([:])
        for (name, standard) in [
            (
                "FEATURED_PLATFORMS",
                defaults.web.featuredPlatforms.map(String.init).joined(separator: ",")
            ),
            ("STATEMENT_TIMEOUT_SECONDS", "5"), ("SESSION_DAYS", "365"), ("LOG_FORMAT", "text"),
            ("CACHE_MEGABYTES", "64"), ("SHUTDOWN_DELAY_SECONDS", "0"), ("LOG_LEVEL", "info"),
            ("LOCAL_ACCOUNTS", "on"), ("SIGN_UP", "open"),
        ] {
            let place = try #require(lines.firstIndex { $0 == "  \(name)" })
            #expect(lines[place + 1].hasSuffix(". Default: \(standard)"), "\(lines[place + 1])")
        }
    }

    @Test("that are secret are those that hold secrets, of every provider")
    func secrets() {
        #expect(
            Settings.secretNames == [
                "DATABASE_URL", "IGDB_CLIENT_SECRET",
                "MODERATION_WEBHOOK_URL", "MODERATION_WEBHOOK_SECRET", "OIDC_CLIENT_SECRET",
                "OIDC_2_CLIENT_SECRET",
                "OIDC_3_CLIENT_SECRET", "SMTP_PASSWORD",
                // Not a secret, but long: it can be in a file.
                "REFUSED_WORDS",
            ])
    }

    // MARK: The site

    @Test("of the site say what it is called, and what it shows")
    func site() throws {
        #expect(try Self.settings([:]).web.site == SiteIdentity())
        #expect(try !Self.settings([:]).web.admitsAICrawlers)
        try Self.withFile("# Rules\n\nBe kind.") { path in
            let settings = try Self.settings([
                "SITE_NAME": "Couch Club", "SITE_DESCRIPTION": "For the couch.",
                "CONTACT": "jane@couch.example", "RULES_FILE": path, "IMPRINT_FILE": path,
                "ACCENT_COLOR": "#0B6B57", "AI_CRAWLERS": "allowed",
            ])
            let site = settings.web.site
            #expect(site.name == "Couch Club" && site.hasOwnName)
            #expect(site.ownDescription == "For the couch.")
            #expect(site.contact?.text == "jane@couch.example")
            #expect(site.rules == SiteText("# Rules\n\nBe kind."))
            #expect(site.imprint?.title == "Rules")
            #expect(site.accent.light == Color(0x0B6B57))
            #expect(settings.web.admitsAICrawlers)
        }
        let page = try Self.settings(["CONTACT": "https://couch.example/hello"]).web.site.contact
        #expect(page == .web("https://couch.example/hello"))
    }

    /// All but those of tests: a catalogue falls back by 5 % only if someone forgets it.
    private static let translated: [Language] = [
        .en, .de, .es, .fr, .ja, .ko, .ptBR, .ru, .zhHans,
    ]

    @Test("of the site say in which languages it is, one of which is its own")
    func languages() throws {
        for (language, offered, all) in [
            (nil, nil, Self.translated), ("de", nil, Self.translated),
            ("en-XA", nil, Self.translated + [.accented]),
            (nil, "en", [.en]), ("EN-xa", "en-xa", [.accented]),
            ("ar-XB", "en-XA, ar-XB", [.accented, .mirrored]),
            ("pt-BR", "de,zh-hans,pt-br", [.de, .zhHans, .ptBR]),
        ] as [(String?, String?, [Language])] {
            var environment: [String: String] = [:]
            environment["SITE_LANGUAGE"] = language
            environment["SITE_LANGUAGES"] = offered
            let languages = try Self.settings(environment).web.languages
            #expect(languages.all == all)
            #expect(languages.site == language.flatMap { Language(tag: $0) } ?? .en)
        }
        #expect(
            Self.complaint(["SITE_LANGUAGES": "en-XA,ar-XB"])
                == "SITE_LANGUAGE is \"en\"; it must be one of SITE_LANGUAGES, en-XA,ar-XB.")
        let tags = Language.allCases.map(\.tag).joined(separator: ", ")
        #expect(
            Self.complaint(["SITE_LANGUAGE": "tlh"])
                == "SITE_LANGUAGE is \"tlh\"; it must be one of \(tags).")
    }

    @Test("of the site name files that can't be shown, all at once")
    func siteFiles() throws {
        let missing = try #require(
            Self.complaint(["RULES_FILE": "/nonexistent", "IMPRINT_FILE": "/"]))
        #expect(
            missing == """
                RULES_FILE: /nonexistent cannot be read (No such file or directory).
                IMPRINT_FILE: / cannot be read (it is not a regular file).
                """)
        for (contents, reason) in [
            (Data([0xFF, 0x41]), "is not UTF-8"), (Data(" \n\n".utf8), "there is no text"),
            (Data(repeating: 0x41, count: SiteText.limit + 1), "more than 65536 bytes"),
        ] {
            try Self.withFile("") { path in
                try contents.write(to: URL(fileURLWithPath: path))
                let complaint = try #require(Self.complaint(["RULES_FILE": path]))
                #expect(complaint.hasPrefix("RULES_FILE: ") && complaint.contains(reason))
            }
        }
    }

    @Test("of the accent say how it can't be read, and which colour can")
    func accent() {
        #expect(
            Self.complaint(["ACCENT_COLOR": "#ffcc00"]) == """
                ACCENT_COLOR is "#ffcc00"; it must be darker, to be read: its contrast with the \
                background #ece9f3 is 1.26:1, and 4.5:1 is the least. The nearest colour of the same \
                hue that is dark enough is #806600.
                """)
    }

    // MARK: Accounts

    @Test("of accounts have defaults, and are taken when given")
    func accounts() throws {
        let standard = try Self.settings([:]).accounts
        #expect(standard.signUp == .open)
        #expect(standard.hasLocalAccounts)
        #expect(standard.attemptsPerName.count == 10)
        #expect(standard.sessionLifetime.idle == .seconds(30 * 86_400))
        let settings = try Self.settings([
            "SIGN_UP": "closed", "LOCAL_ACCOUNTS": "OFF", "SIGN_IN_ATTEMPTS_PER_NAME": "3",
            "SIGN_IN_ATTEMPTS_PER_ADDRESS": "4", "SIGN_UPS_PER_ADDRESS": "5",
            "SESSION_IDLE_DAYS": "6", "SESSION_DAYS": "7", "ACCESS_TOKEN_MINUTES": "8",
            "TRUSTED_PROXIES": "10.0.0.1, ::1",
            // Without passwords there must be another way in.
            "OIDC_ISSUER": "https://id.example", "OIDC_CLIENT_ID": "fave",
        ])
        #expect(settings.accounts.signUp == .closed)
        #expect(!settings.accounts.hasLocalAccounts)
        #expect(settings.accounts.attemptsPerName.count == 3)
        #expect(settings.accounts.attemptsPerAddress.count == 4)
        #expect(settings.accounts.signUpsPerAddress.count == 5)
        #expect(settings.accounts.sessionLifetime.idle == .seconds(6 * 86_400))
        #expect(settings.accounts.sessionLifetime.absolute == .seconds(7 * 86_400))
        #expect(settings.accounts.accessTokenLifetime == .seconds(480))
        #expect(settings.web.trustedProxies == TrustedProxies("10.0.0.1,::1"))
    }

    @Test(
        "of accounts that cannot be used are refused by name, with the value",
        arguments: [
            ("SIGN_UP", "maybe"), ("SIGN_UP", "on"), ("LOCAL_ACCOUNTS", "open"),
            ("SIGN_IN_ATTEMPTS_PER_NAME", "0"), ("SIGN_IN_ATTEMPTS_PER_ADDRESS", "-1"),
            ("SIGN_UPS_PER_ADDRESS", "many"), ("SESSION_IDLE_DAYS", "0"),
            ("SESSION_DAYS", "3651"), ("SESSION_DAYS", "1.5"), ("ACCESS_TOKEN_MINUTES", "1441"),
            ("PASSWORD_COST", "3"), ("PASSWORD_COST", "21"), ("PASSWORD_HASHERS", "0"),
            ("TRUSTED_PROXIES", "localhost"),
        ])
    func badAccounts(name: String, value: String) throws {
        let complaint = try #require(Self.complaint([name: value]))
        #expect(complaint.contains(name))
        #expect(complaint.contains(value))
        #expect(complaint.contains("must be"))
    }

    @Test("of providers are refused when they do not belong together")
    func providers() throws {
        let complete = [
            "OIDC_ISSUER": "https://id.example", "OIDC_CLIENT_ID": "fave",
        ]
        #expect(Self.complaint(complete) == nil)
        for (changes, words) in [
            (["OIDC_CLIENT_ID": ""], "OIDC_ISSUER is set, but OIDC_CLIENT_ID is not."),
            (["OIDC_ISSUER": ""], "OIDC_CLIENT_ID is set, but OIDC_ISSUER is not."),
            (
                ["OIDC_ISSUER": "", "OIDC_CLIENT_ID": "", "OIDC_CLIENT_SECRET": "x"],
                "OIDC_CLIENT_SECRET is set, but OIDC_ISSUER and OIDC_CLIENT_ID are not."
            ),
            (
                ["OIDC_2_CLIENT_SECRET_FILE": #filePath],
                "OIDC_2_CLIENT_SECRET is set, but OIDC_2_ISSUER and OIDC_2_CLIENT_ID are not."
            ),
            (["OIDC_ISSUER": "id.example"], "OIDC_ISSUER"),
            (["OIDC_ISSUER": "https://id.example/?x"], "OIDC_ISSUER"),
            (["OIDC_SCOPES": "profile email"], "OIDC_SCOPES"),
        ] {
            let complaint = Self.complaint(complete.merging(changes) { $1 })
            #expect(complaint?.contains(words) == true, "\(changes): \(complaint ?? "fine")")
        }
    }
}
