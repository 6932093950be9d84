import FaveGames
import Foundation
import HTTPClient
import HTTPTypes
import Identity
import IGDB
import Logging
import Mail
import Migrations
import Postgres
import Sockets
import Storage
import StorageWrites
import Web

/// Checks a setup, and says in plain words what is wrong.
struct Checkup {
    let reader: SettingsReader
    /// Whether fave-server should be running: then the public address is asked, and what is cached in
    /// memory there.
    let isRunning: Bool

    func findings() async -> [Finding] {
        var (settings, findings) = Self.settings(reader)
        if let settings {
            findings += Self.certificates(settings)
            findings.append(MachineCheck.fonts())
            if settings.web.covers == .site, let folder = settings.coversFolder {
                findings.append(MachineCheck.covers(in: folder))
            }
        }
        let (database, targets) = Self.database(
            reader, connections: settings.map { $0.loops * $0.database.connections },
            hasMail: settings?.mail != nil)
        findings += database
        if let settings {
            if findings.contains(where: { $0.what == "schema" && $0.verdict == .good }) {
                // IGDB's token is stored in the database, so this needs the right schema.
                findings.append(await Self.igdb(reader, settings))
            }
            do {
                findings += try await reachable(settings, targets)
            } catch {
                findings.append(Finding(what: "network", verdict: .bad, detail: "\(error)"))
            }
        }
        return findings
    }

    /// - Returns: The settings, unless they are wrong, and what was found.
    static func settings(_ reader: SettingsReader) -> (ServerSettings?, [Finding]) {
        let what = "settings"
        let warnings = Settings.warnings(about: reader.variableNames)
        func notices(_ details: [String]) -> [Finding] {
            details.map { Finding(what: what, verdict: .notice, detail: $0) }
        }
        do throws(SettingError) {
            let settings = try ServerSettings(reader)
            var good = [Finding(what: what, verdict: .good, shareable: "valid")]
            let blocked = settings.accounts.refusedWords.count
            if blocked > 0 {
                good.append(
                    Finding(what: "refused words", verdict: .good, shareable: "\(blocked)"))
            }
            return (settings, good + notices(settings.warnings + warnings))
        } catch {
            let bad = error.problems.map { Finding(what: what, verdict: .bad, detail: $0) }
            return (nil, bad + notices(warnings))
        }
    }

    private static func certificates(_ settings: ServerSettings) -> [Finding] {
        settings.certificates.map { files in
            do throws(OperatorError) {
                let certificate = try files.read()
                let expiry = Date(timeIntervalSince1970: TimeInterval(certificate.expiry))
                let days = Int(expiry.timeIntervalSinceNow / 86_400)
                let detail = "for \(certificate.commonName), until \(expiry.formatted(.iso8601))"
                return Finding(
                    what: "certificate", verdict: days < 0 ? .bad : days < 14 ? .notice : .good,
                    detail: days < 0 ? detail + ", so it has expired: renew it" : detail)
            } catch {
                return Finding(what: "certificate", verdict: .bad, detail: error.description)
            }
        }
    }

    /// - Parameter connections: How many a server opens; `nil` if its settings are not valid.
    /// - Returns: The findings, and addresses whose responses fave-server may have cached.
    private static func database(
        _ reader: SettingsReader, connections: Int?, hasMail: Bool
    ) -> ([Finding], targets: [String]) {
        var findings: [Finding] = []
        // A check says itself whether anyone may read what it found.
        func note(
            _ what: String, isShareable: Bool = false,
            _ body: () throws -> (Finding.Verdict, String)
        ) {
            do {
                let (verdict, detail) = try body()
                findings.append(
                    Finding(
                        what: what, verdict: verdict, detail: detail,
                        shareable: isShareable ? detail : nil))
            } catch let error as PostgresError {
                findings.append(Finding(what, error))
            } catch {
                findings.append(Finding(what: what, verdict: .bad, detail: "\(error)"))
            }
        }
        var session: BlockingSession?
        note("database", isShareable: true) {
            let open = try BlockingSession(
                connectionString: reader.value(Settings.database.url),
                applicationName: "fave-admin")
            session = open
            let version: String = try open.query("SHOW server_version")[0][0]
            return (.good, "PostgreSQL \(version)")
        }
        guard let session else { return (findings, []) }
        if let connections {
            note("connections", isShareable: true) {
                let check = try ConnectionsCheck(session, wanted: connections)
                return check.warnings.first.map { (.notice, $0) }
                    ?? (.good, "\(connections) of the \(check.allowed) that PostgreSQL allows")
            }
        }
        findings += durability(session)
        note("locale", isShareable: true) {
            try Migrator(session, Migration.embedded()).checkLocale()
            return (.good, "UTF8, and capitals are folded as expected")
        }
        note("schema", isShareable: true) {
            let migrations = try Migration.embedded()
            try Migrator(session, migrations).check()
            let applied = try BulkStore(session).appliedMigration()
            let isNewer = applied > migrations.count
            let newer = isNewer ? ", which is newer and works with this version" : ""
            return (.good, "at migration \(applied)\(newer)")
        }
        guard findings.last?.verdict == .good else { return (findings, []) }
        let check = DatabaseCheck(session: session)
        note("rights") {
            try check.missingRights().map { (.bad, $0) } ?? (.good, "the role may read and write")
        }
        if findings.last?.verdict == .good {
            note("a write", isShareable: true) {
                try check.tryWriting()
                return (.good, "works, and was taken back")
            }
        }
        note("clocks", isShareable: true) {
            DatabaseCheck.clocks(difference: try check.clockDifference())
        }
        if let mode = try? BulkStore(session).maintenanceMode() {
            note("maintenance mode") {
                (
                    .notice,
                    """
                    on since \(mode.begunAt.formatted(.iso8601)), so people can only read: \
                    “\(mode.message)” To end it: fave-admin maintenance-mode --end
                    """
                )
            }
        }
        note("backups", isShareable: true) { DatabaseCheck.backup(try check.lastBackup()) }
        note("administrator", isShareable: true) {
            try BulkStore(session).hasAdministrator()
                ? (.good, "there is one")
                : (
                    .notice,
                    "none yet, so no one can resolve reports. Run: fave-admin users administrator-link"
                )
        }
        note("keys", isShareable: true) {
            let count: Int = try session.query("SELECT count(*) FROM signing_keys")[0][0]
            return count > 0
                ? (.good, "\(count) for signing access tokens")
                : (.notice, "none yet; fave-server creates one on its first start")
        }
        note("platforms", isShareable: true) {
            let count: Int = try session.query("SELECT count(*) FROM platforms")[0][0]
            return count > 0
                ? (.good, "\(count)") : (.bad, "none. Run: fave-admin seed-platforms")
        }
        note("games", isShareable: true) {
            let row = try session.query("SELECT count(*), count(fetched_at) FROM games")[0]
            let (count, fetched): (Int, Int) = (try row[0], try row[1])
            return count > 0
                ? (.good, "\(count), \(fetched) of them from IGDB")
                : (.notice, "none. Run: fave-admin seed-catalogue")
        }
        note("counts", isShareable: true) {
            let count = try BulkStore(session).countDifferences().count
            return count == 0
                ? (.good, "match the entries")
                : (
                    .notice,
                    """
                    \(count) of rankings don't match the entries. Maintenance corrects them; \
                    or run: fave-admin recount
                    """
                )
        }
        if hasMail {
            note("waiting mail", isShareable: true) {
                let (count, seconds) = try BulkStore(session).queuedMail()
                return seconds < 600
                    ? (.good, "\(count)")
                    : (
                        .bad,
                        """
                        \(count), the oldest for \(seconds / 60) minutes. The log says why: \
                        journalctl -u fave-games | grep mail
                        """
                    )
            }
        }
        return (findings, (try? CachedResponsesCheck.sample(session)) ?? [])
    }

    private static func durability(_ session: BlockingSession) -> [Finding] {
        let what = "durability"
        do throws(PostgresError) {
            let warnings = try DurabilityCheck(session).warnings
            guard warnings.isEmpty else {
                return warnings.map { Finding(what: what, verdict: .notice, detail: $0) }
            }
            return [
                Finding(
                    what: what, verdict: .good, shareable: "what is acknowledged outlives a crash")
            ]
        } catch {
            return [Finding(what, error)]
        }
    }

    private static func igdb(_ reader: SettingsReader, _ settings: ServerSettings) async -> Finding
    {
        guard settings.igdb != nil else {
            return Finding(
                what: "IGDB", verdict: .notice,
                shareable: "no credentials, so searches find only games in the catalogue")
        }
        do {
            let count = try await IGDBSession.run(reader) { try await $0.client.platforms().count }
            return Finding(
                what: "IGDB", verdict: .good, shareable: "responds; \(count) platforms")
        } catch {
            return Finding(what: "IGDB", verdict: .bad, detail: "\(error)")
        }
    }

    private static func mail(_ settings: ServerSettings, on loop: EventLoop) async -> Finding {
        let what = "mail"
        guard let mail = settings.mail else {
            return Finding(what: what, verdict: .notice, shareable: "no SMTP_URL, so none is sent")
        }
        let client = SMTPClient(mail.server, on: loop)
        do throws(SMTPError) {
            try await client.check(from: mail.from)
            return Finding(what: what, verdict: .good, detail: "\(mail.server) responds")
        } catch {
            return Finding(
                what: what, verdict: .bad,
                detail: "\(mail.server): \(error.description) (\(error.debugDescription))")
        }
    }

    /// Checks whether the mail server, the providers and our own public address respond, and what is in memory there.
    private func reachable(
        _ settings: ServerSettings, _ targets: [String]
    ) async throws -> [Finding] {
        let logger = Logger(label: "fave-admin") { _ in SwiftLogNoOpLogHandler() }
        let loop = try EventLoop(name: "doctor")
        defer { loop.stop() }
        let client = HTTPClient(on: loop)
        let realm = try await Realm(
            ownKeys: OwnKeys([], loop: loop, logger: logger) { [] },
            trusted: settings.trustedIssuers,
            providers: settings.providers, client: client, loop: loop, logger: logger)
        return await Task(executorPreference: loop) {
            var findings = [await Self.mail(settings, on: loop)]
            for provider in realm.openIDProviders(client: client) {
                let fault: OpenIDError?
                do throws(OpenIDError) {
                    try await provider.check()
                    fault = nil
                } catch {
                    fault = error
                }
                let configuration = provider.configuration
                findings.append(
                    Self.finding(
                        "sign-in", "with \(configuration.name), \(configuration.issuer)", fault))
            }
            for (issuer, fault) in await realm.checkTrusted() {
                findings.append(Self.finding("access tokens", issuer, fault))
            }
            guard isRunning else {
                await client.close()
                return findings
            }
            let address = await Self.publicAddress(settings.web.publicURL, client)
            findings.append(address)
            if address.verdict == .good, !targets.isEmpty {
                findings.append(await Self.cachedResponses(settings.web.publicURL, client, targets))
            }
            await client.close()
            return findings
        }.value
    }

    private static func finding(
        _ what: String, _ issuer: String, _ fault: OpenIDError?
    ) -> Finding {
        Finding(
            what: what, verdict: fault == nil ? .good : .bad,
            detail: fault.map { "\(issuer): \($0.detail)" } ?? issuer)
    }

    private static func cachedResponses(
        _ url: String, _ client: HTTPClient, _ targets: [String]
    ) async -> Finding {
        let what = "cached responses"
        let check = CachedResponsesCheck(publicURL: url, client: client)
        var current = 0
        var outdated: [String] = []
        for target in targets {
            switch await check.outcome(target) {
            case .current: current += 1
            case .outdated: outdated.append(target)
            case .unknown: break
            }
        }
        if !outdated.isEmpty {
            return Finding(
                what: what, verdict: .bad,
                detail: """
                    older than the database: \(outdated.joined(separator: ", ")). Was something \
                    written with triggers switched off? Restart fave-server
                    """)
        }
        return current > 0
            ? Finding(what: what, verdict: .good, shareable: "\(current) match the database")
            : Finding(
                what: what, verdict: .notice,
                shareable: "none to compare (is CACHE_MEGABYTES 0?)")
    }

    private static func publicAddress(_ url: String, _ client: HTTPClient) async -> Finding {
        do throws(HTTPClientError) {
            let response = try await client.send(
                ClientRequest(.get, url + "/ping", timeout: .seconds(5), maximumResponseBytes: 1024)
            )
            let isOurs = response.status == .ok && response.body.starts(with: "pong".utf8)
            return isOurs
                ? Finding(what: "public address", verdict: .good, detail: "\(url) responds")
                : Finding(
                    what: "public address", verdict: .bad,
                    detail: "another server responds at \(url); check PUBLIC_URL and the proxy")
        } catch  where error.code == .untrusted {
            return Finding(
                what: "public address", verdict: .bad,
                detail: """
                    \(url) responds with a certificate that this machine doesn't trust: it has expired, is for \
                    another name, or comes from an unknown authority
                    """)
        } catch {
            return Finding(
                what: "public address", verdict: .notice,
                detail: "\(url) does not respond from this machine; is fave-server running?")
        }
    }
}

extension Finding {
    /// What PostgreSQL says may quote anything, but not its code.
    fileprivate init(_ what: String, _ error: PostgresError) {
        self.init(
            what: what, verdict: .bad, detail: OperatorError(error).description,
            shareable: error.description)
    }
}
