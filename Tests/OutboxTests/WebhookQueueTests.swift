import Crypto
import FaveGames
import Foundation
import HTTPClient
import HTTPTypes
import Logging
import Postgres
import Sockets
import Storage
import StorageWrites
import TestSupport
import Testing
import Web

@testable import Outbox

@Suite("Webhooks", .blocking)
struct WebhookQueueTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    private func execute(_ sql: String) throws { try database.session().execute(sql) }

    private func count(_ what: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(what)")[0][0]
    }

    /// - Parameter moderators: The address of their webhook; `nil` for the webhooks of circles.
    private static func queue(
        _ store: Store, moderators: String? = nil, networks: WebhookNetworks = .any,
        _ send: @escaping @Sendable (SignedWebhook) async throws(HTTPClientError) -> ClientResponse
    ) throws -> WebhookQueue {
        var receiver = WebhookQueue.Receiver.circles(networks)
        if let moderators {
            receiver = .moderators(
                try #require(WebhookAddress(moderators, anyPort: true)),
                try #require(WebhookSecret(secret)))
        }
        let site = WebSettings(publicURL: "https://fave.example").addresses
        return WebhookQueue(
            store, for: receiver, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            write: { WebhookEvents.body($0, at: $1, for: site) }, send: send)
    }

    /// Runs `body` with a store, and a client on the same loop that really sends.
    private func withSender(
        _ body: @escaping @Sendable (Store, HTTPClient) async throws -> Void
    ) async throws {
        var configuration = PostgresConfiguration(connectionString: database.url)
        configuration.connections = 3
        let finished = configuration
        try await withLoop { loop in
            let pool = try PostgresPool(finished, on: loop, logger: Logger(label: "test"))
            try await onLoop(loop) {
                pool.open()
                defer { pool.close() }
                let client = HTTPClient(on: loop)
                let result = await Swift.Result { try await body(Store(pool), client) }
                await client.close()
                try result.get()
            }
        }
    }

    /// As the time passes until everything is due.
    private func makeDue() throws {
        try execute("UPDATE outgoing_webhooks SET due_at = now()")
    }

    // MARK: Reports

    private func makeReported() throws {
        try execute(
            """
            INSERT INTO users (username, display_name)
            VALUES ('rob', 'Rob'), ('eve', 'Eve'), ('ada', 'Ada')
            """)
    }

    private func report(_ store: Store, by reporter: String, _ reason: ReportReason) async throws {
        let name = try #require(Username("rob"))
        let note = try #require(ModerationNote("Secret words"))
        let id: UUID = try database.session().query(
            "SELECT id FROM users WHERE username = $1", [.text(reporter)])[0][0]
        let isThere = try await store.report(
            .profile(name), by: id.text, reporterID: id, reason: reason,
            note: note)
        #expect(isThere)
    }

    @Test("are sent again until the receiver accepts them, with one id and good signatures")
    func retries() async throws {
        try makeReported()
        try await WebhookReceiver.run([503, 302]) { receiver, address in
            try await withSender { store, client in
                try await report(store, by: "eve", .abuse)
                // Another report of the same thing is no news.
                try await report(store, by: "ada", .spam)
                let queue = try Self.queue(store, moderators: address) {
                    webhook throws(HTTPClientError) in try await client.send(webhook.request)
                }
                for attempt in 1...3 {
                    try await queue.deliver()
                    #expect(receiver.received.count == attempt)
                    // It isn't due again at once.
                    try await queue.deliver()
                    #expect(receiver.received.count == attempt)
                    #expect(try count("outgoing_webhooks") == (attempt < 3 ? 1 : 0))
                    try makeDue()
                }
            }
            let received = receiver.received.elements
            #expect(Set(received.map(\.id)).count == 1)
            #expect(UUID(uuidString: received[0].id) != nil)
            for one in received {
                #expect(one.type == "application/json")
                #expect(abs(one.time - Int(Date().timeIntervalSince1970)) < 300)
                #expect(try one.signature == Self.signature(one))
            }
            let body = try received[2].object
            #expect(body["event"] as? String == "report.created")
            let text = try #require(body["text"] as? String)
            #expect(
                text == "Someone reported a profile: hate, threats or harassment. "
                    + "https://fave.example/moderation")
            #expect(body["content"] as? String == text)
            #expect(body["allowed_mentions"] as? [String: [String]] == ["parse": []])
            let data = try #require(body["data"] as? [String: Any])
            #expect(data["reason"] as? String == "abuse" && data["kind"] as? String == "profile")
            let words = String(decoding: received[2].body, as: UTF8.self)
            for secret in ["@eve", "Eve", "rob", "Rob", "Secret words"] {
                #expect(!words.contains(secret))
            }
        }
    }

    /// What the standard says about a message.
    private static func signature(_ received: WebhookReceiver.Received) throws -> String {
        let key = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(received.id).\(received.time).".utf8) + Data(received.body),
            using: SymmetricKey(data: key))
        return "v1," + Data(code).base64EncodedString()
    }

    @Test("reach moderators from a real server within a minute, and only they are told")
    func wholeServer() async throws {
        try makeReported()
        try await WebhookReceiver.run { receiver, address in
            try await TestServer.run(
                on: database,
                settings: [
                    "MODERATION_WEBHOOK_URL": address, "MODERATION_WEBHOOK_SECRET": Self.secret,
                ]
            ) { server in
                let reported = try server.send(
                    "POST", "/api/v1/reports",
                    json: #"{"kind": "list", "username": "rob", "reason": "spam"}"#)
                #expect(reported.status == 204)
                try await eventually("a webhook") { receiver.received.count == 1 }
                let text = try receiver.received.elements[0].object["text"] as? String
                #expect(text?.hasPrefix("Someone reported a list: spam or advertising.") == true)
                try await eventually("its end") { try count("outgoing_webhooks") == 0 }
            }
        }
    }

    @Test("about cases that are closed by then aren't sent")
    func closed() async throws {
        try makeReported()
        let sent = Recorder<SignedWebhook>()
        try await withStore(database) { store in
            try await report(store, by: "eve", .abuse)
            #expect(try count("outgoing_webhooks") == 1)
            try execute("UPDATE cases SET closed_at = now()")
            let queue = try Self.queue(store, moderators: "https://hooks.example/x") {
                webhook throws(HTTPClientError) in
                sent.record(webhook)
                return ClientResponse(status: .ok)
            }
            try await queue.deliver()
            #expect(try count("outgoing_webhooks") == 0)
            #expect(sent.count == 0)
        }
    }

    @Test("are each sent once, however many servers there are")
    func severalServers() async throws {
        try execute(
            """
            INSERT INTO users (username, display_name)
            SELECT 'user-' || n, 'User' FROM generate_series(1, 30) n;
            INSERT INTO cases (kind, user_id) SELECT 'profile', id FROM users
            """)
        let sent = Recorder<UUID>()
        let database = database
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    try await withStore(database) { store in
                        let queue = try Self.queue(
                            store, moderators: "https://hooks.example/x"
                        ) { webhook throws(HTTPClientError) in
                            sent.record(webhook.id)
                            await Task.yield()
                            return ClientResponse(status: .ok)
                        }
                        try await queue.deliver()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(sent.count == 30)
        #expect(Set(sent.elements).count == 30)
        #expect(try count("outgoing_webhooks") == 0)
    }

    // MARK: Circles

    /// Rob's circle, with a webhook.
    private func makeCircle() throws {
        try execute(
            """
            INSERT INTO users (username, display_name)
            VALUES ('rob', 'Rob'), ('ada', '@here <!channel> [Ada](https://evil.example)'),
                   ('eve', 'Eve');
            UPDATE users SET visibility = 'unlisted' WHERE username = 'eve';
            INSERT INTO platforms (id, slug, name) VALUES (48, 'ps4--1', 'PlayStation 4');
            INSERT INTO games (id, name) VALUES (1, 'Portal'), (2, 'Celeste'), (3, 'Tetris');
            INSERT INTO game_platforms SELECT id, 48 FROM games;
            SELECT make_circle(id, 'Couch Club', '', 'members') FROM users WHERE username = 'rob';
            SELECT set_circle_webhook(c.id, u.id, 'https://hooks.example/x', sha256('key'))
            FROM circles c, users u WHERE u.username = 'rob'
            """)
    }

    private func join(_ name: String) throws {
        try execute(
            """
            SELECT add_circle_member(c.id, u.id, false) FROM circles c, users u
            WHERE u.username = '\(name)'
            """)
    }

    private func leave(_ name: String) throws {
        try execute(
            "SELECT leave_circle(c.id, u.id) FROM circles c, users u WHERE u.username = '\(name)'")
    }

    private func save(_ games: [Int], by name: String) throws {
        let picks = games.map { "(NULL, 48, \($0), '', NULL, '{}')::wanted_entry" }
        try execute(
            """
            SELECT save_list(id, NULL, ARRAY[\(picks.joined(separator: ", "))]::wanted_entry[])
            FROM users WHERE username = '\(name)'
            """)
    }

    private static func object(_ webhook: SignedWebhook) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(webhook.body))
        return try #require(json as? [String: Any])
    }

    /// Delivers everything that is due.
    ///
    /// - Returns: The sentences.
    private func sentences(
        of store: Store, status: Int = 204, retryAfter: String? = nil,
        networks: WebhookNetworks = .any
    ) async throws -> [String] {
        try await messages(
            of: store, status: status, retryAfter: retryAfter, networks: networks
        ).map { try #require(try Self.object($0)["text"] as? String) }
    }

    private func messages(
        of store: Store, status: Int = 204, retryAfter: String? = nil,
        networks: WebhookNetworks = .any
    ) async throws -> [SignedWebhook] {
        let sent = Recorder<SignedWebhook>()
        let queue = try Self.queue(store, networks: networks) {
            webhook throws(HTTPClientError) in
            sent.record(webhook)
            var fields = HTTPFields()
            fields[.retryAfter] = retryAfter
            return ClientResponse(
                status: HTTPResponse.Status(code: status), headerFields: fields)
        }
        try await queue.deliver()
        #expect(sent.elements.allSatisfy { $0.networks == networks })
        return sent.elements
    }

    @Test("tell who joins a circle and who leaves it, but name only people with public lists")
    func members() async throws {
        try makeCircle()
        let link = "https://fave.example" + (try circlePath())
        try await withStore(database) { store in
            try join("ada")
            try join("eve")
            let ada = "@\u{200B}here ‹!channel› [Ada]\u{200B}(https:\u{200B}//evil.example)"
            #expect(
                try await Set(sentences(of: store)) == [
                    "\(ada) joined Couch Club. \(link)", "Someone joined Couch Club. \(link)",
                ])
            try leave("ada")
            try execute("DELETE FROM users WHERE username = 'eve'")
            #expect(
                try await Set(sentences(of: store)) == [
                    "\(ada) left Couch Club. \(link)", "Someone left Couch Club. \(link)",
                ])
            // A name that changes twice is told once.
            for name in ["Sofa", "Sofa Club"] { try execute("UPDATE circles SET name = '\(name)'") }
            #expect(try count("outgoing_webhooks") == 1)
            try makeDue()
            #expect(
                try await sentences(of: store) == ["This circle is now called Sofa Club. \(link)"])
            // Nor is one that is the former one again.
            for name in ["Sofa", "Sofa Club"] { try execute("UPDATE circles SET name = '\(name)'") }
            try makeDue()
            #expect(try await sentences(of: store).isEmpty)
            #expect(try count("outgoing_webhooks") == 0)
            // Someone whose list isn't public any more isn't named, and who is gone is not said to have joined.
            try join("ada")
            try execute("UPDATE users SET visibility = 'private' WHERE username = 'ada'")
            #expect(try await sentences(of: store) == ["Someone joined Sofa Club. \(link)"])
            try execute("UPDATE users SET visibility = 'public' WHERE username = 'ada'")
            try leave("ada")
            try join("ada")
            try leave("ada")
            #expect(try await sentences(of: store).count == 2)
        }
    }

    @Test("have the ids and addresses of members and games, and the former name of a circle")
    func contents() async throws {
        try makeCircle()
        let rob: String = try database.session().query(
            "SELECT id::text FROM users WHERE username = 'rob'")[0][0]
        try await withStore(database) { store in
            try save([1], by: "rob")
            try execute("UPDATE circles SET name = 'Sofa Club'")
            try makeDue()
            let data = try await messages(of: store).map {
                try #require(try Self.object($0)["data"] as? [String: Any])
            }
            let changed = try #require(data.first { $0["games"] != nil })
            let member = try #require(changed["member"] as? [String: Any])
            #expect(member["id"] as? String == rob)
            #expect(member["url"] as? String == "https://fave.example/@rob")
            let game = try #require((changed["games"] as? [[String: Any]])?.first)
            #expect(game["url"] as? String == "https://fave.example/games/1")
            #expect(game["platformId"] as? Int == 48)
            let renamed = try #require(data.first { $0["formerName"] != nil })
            #expect(renamed["formerName"] as? String == "Couch Club")
            #expect((renamed["circle"] as? [String: Any])?["name"] as? String == "Sofa Club")
        }
    }

    private func circlePath() throws -> String {
        let slug: String = try database.session().query("SELECT slug FROM circles")[0][0]
        return "/circles/" + slug
    }

    @Test("tell of new games on a member's list once in five minutes, as the list is then")
    func lists() async throws {
        try makeCircle()
        try join("ada")
        try join("eve")
        try await withStore(database) { store in
            _ = try await sentences(of: store)
            try save([1], by: "rob")
            try save([1, 2], by: "rob")
            try save([2, 3], by: "rob")
            try save([1], by: "eve")
            #expect(try count("outgoing_webhooks") == 1)
            #expect(try await sentences(of: store).isEmpty)
            let wait: Int = try database.session().query(
                "SELECT extract(epoch FROM due_at - now())::integer FROM outgoing_webhooks")[0][0]
            #expect((1...300).contains(wait))
            try makeDue()
            #expect(
                try await sentences(of: store) == [
                    "Rob added Celeste and Tetris to their five. https://fave.example/@rob"
                ])
            // A change without a new game is not told.
            try execute("UPDATE entries SET comment = 'Why' WHERE game_id = 2")
            #expect(try count("outgoing_webhooks") == 1)
            try makeDue()
            #expect(try await sentences(of: store).isEmpty)
            #expect(try count("outgoing_webhooks") == 0)
            // Nor is a list that isn't public by then.
            try save([1, 2, 3], by: "ada")
            try execute("UPDATE users SET visibility = 'unlisted' WHERE username = 'ada'")
            try makeDue()
            #expect(try await sentences(of: store).isEmpty)
            // Nor that of someone who has left.
            try execute("UPDATE users SET visibility = 'public' WHERE username = 'ada'")
            try save([1], by: "ada")
            try leave("ada")
            try makeDue()
            let told = try await sentences(of: store)
            #expect(told.count == 1 && told[0].contains("left Couch Club"), "\(told)")
        }
    }

    @Test("that fail are repeated one at a time, and the owner sees why")
    func failures() async throws {
        try makeCircle()
        try await withStore(database) { store in
            try join("ada")
            try join("eve")
            #expect(try await sentences(of: store, status: 500).count == 1)
            #expect(
                try count(
                    "circle_webhooks WHERE failure = 'The server responded with 500.' AND sent_at IS NULL"
                ) == 1)
            // The second one waits for the first, but a test doesn't.
            #expect(try await sentences(of: store).isEmpty)
            try execute("SELECT queue_webhook('test', id, NULL) FROM circles")
            #expect(try await sentences(of: store).count == 1)
            #expect(try count("circle_webhooks WHERE failure IS NULL AND sent_at IS NOT NULL") == 1)
            try execute("UPDATE outgoing_webhooks SET due_at = now() WHERE attempts = 1")
            #expect(try await sentences(of: store, status: 503, retryAfter: "7200").count == 1)
            let wait: Int = try database.session().query(
                """
                SELECT max(extract(epoch FROM due_at - now()))::integer FROM outgoing_webhooks
                """)[0][0]
            #expect((7100...7200).contains(wait))
            try makeDue()
            #expect(try await sentences(of: store).count == 2)
            #expect(
                try count("circle_webhooks WHERE failure IS NULL AND sent_at IS NOT NULL") == 1)
            #expect(try count("outgoing_webhooks") == 0)

            // In the end it is given up.
            try leave("ada")
            try execute("UPDATE outgoing_webhooks SET attempts = 9")
            #expect(try await sentences(of: store, status: 404).count == 1)
            #expect(try count("outgoing_webhooks") == 0)
            #expect(try count("circle_webhooks WHERE failure LIKE '%404.' AND dropped = 1") == 1)
        }
    }

    @Test("are repeated for about three days, later each time")
    func schedule() throws {
        var total = 0
        for attempt in 1...9 {
            let delay = try #require(WebhookQueue.delay(after: attempt))
            let base = WebhookQueue.delays[attempt - 1]
            #expect((base...(base + base / 10)).contains(delay))
            total += base
        }
        #expect(total == 75 * 3600 + 35 * 60 + 5)
        #expect(WebhookQueue.delay(after: 10) == nil)
        #expect(WebhookQueue.delay(after: 1, asked: 999_999_999) == 86_400)
        #expect(try #require(WebhookQueue.delay(after: 2, asked: 1)) >= 300)
    }

    @Test("end when the receiver is gone, and when the circle changes hands")
    func ends() async throws {
        try makeCircle()
        try await withStore(database) { store in
            try join("ada")
            #expect(try await sentences(of: store, status: 410).count == 1)
            #expect(try count("circle_webhooks WHERE ended_at IS NOT NULL") == 1)
            try leave("ada")
            try save([1], by: "rob")
            #expect(try count("outgoing_webhooks") == 0)

            try execute(
                """
                SELECT set_circle_webhook(c.id, u.id, 'https://hooks.example/y', sha256('new'))
                FROM circles c, users u WHERE u.username = 'rob'
                """)
            try join("ada")
            #expect(try count("outgoing_webhooks") == 1)
            // While the owner is suspended, nothing is sent.
            try execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            #expect(try await sentences(of: store).isEmpty)
            try execute("UPDATE users SET disabled_at = NULL WHERE username = 'rob'")
            try join("eve")
            try execute(
                """
                SELECT hand_over_circle(c.id, r.id, m.id)
                FROM circles c, users r, circle_members m JOIN users u ON u.id = m.user_id
                WHERE r.username = 'rob' AND u.username = 'ada'
                """)
            #expect(try count("circle_webhooks") == 0)
            #expect(try count("outgoing_webhooks") == 0)
        }
    }

    @Test("of circles don't reach machines that only the server can reach")
    func privateNetworks() async throws {
        try await WebhookReceiver.run { receiver, address in
            let port = try #require(address.firstMatch(of: /:(\d+)/)?.1)
            try makeCircle()
            try await withSender { store, client in
                // Names tell where they lead only once they are looked up.
                for host in ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "10.0.0.1"] {
                    let text = "https://\(host):\(port)/"
                    let webhook = SignedWebhook(
                        to: try #require(WebhookAddress(text)), id: UUID(), body: [],
                        secret: WebhookSecret(), networks: .public)
                    do throws(HTTPClientError) {
                        _ = try await client.send(webhook.request)
                        Issue.record("\(host) was reached")
                    } catch {
                        #expect(error.code == .forbiddenAddress, "\(host)")
                    }
                }
                try join("eve")
                #expect(try await sentences(of: store, networks: .public).count == 1)
                // One from when the operator allowed more isn't tried at all.
                try execute("UPDATE circle_webhooks SET address = '\(address)'")
                try join("ada")
                #expect(try await sentences(of: store, networks: .public).isEmpty)
                #expect(try count("outgoing_webhooks") == 0)
                #expect(
                    try count(
                        """
                        circle_webhooks WHERE dropped = 1 AND dropped_at IS NOT NULL
                        AND failure = 'This site no longer sends to that address.'
                        """) == 1)
            }
            #expect(receiver.received.count == 0)
        }
    }

    @Test("wait in bounded numbers, and not forever")
    func bounds() async throws {
        try makeCircle()
        try await withStore(database) { store in
            for _ in 0..<60 {
                try join("ada")
                try leave("ada")
            }
            #expect(try count("outgoing_webhooks") == 100)
            // What is dropped is counted and logged once, and the owner sees it.
            #expect(try count("circle_webhooks WHERE dropped = 20 AND dropped_at IS NOT NULL") == 1)
            let lines = Recorder<String>()
            let dropped = DroppedWebhooks(
                store: store,
                logger: Logger(label: "test") { _ in RecordingLogHandler(lines: lines) })
            for _ in 0..<2 { try await dropped.log() }
            let line = try #require(lines.elements.first)
            #expect(line.contains("20 messages to the webhooks of these circles were dropped"))
            #expect(lines.count == 1)
            try execute("UPDATE outgoing_webhooks SET made_at = now() - interval '5 days'")
            let expiry = try #require(ExpiringData.all.first { $0.name == "outgoing_webhooks" })
            while try await store.deleteExpired(expiry) {}
            #expect(try count("outgoing_webhooks") == 0)
        }
    }

    /// Makes owners with twenty circles each, and a webhook for each circle.
    private func makeOwners(_ names: String...) throws {
        for name in names {
            try execute(
                """
                INSERT INTO users (username, display_name) VALUES ('\(name)', 'Owner');
                SELECT set_circle_webhook(
                    make_circle(u.id, 'Club', '', 'members'), u.id,
                    'https://hooks.example/' || n, sha256('key'))
                FROM users u, generate_series(1, 20) n WHERE u.username = '\(name)'
                """)
        }
    }

    /// Queues messages for each circle of an owner.
    private func queue(_ messages: Int, of owner: String, circles: Int = 20) throws {
        // One after the other, so that each counts those before.
        try execute(
            """
            DO $$
            DECLARE circle uuid;
            BEGIN
                FOR circle IN SELECT w.circle_id FROM circle_webhooks w
                              JOIN users u ON u.id = w.owner_id
                              WHERE u.username = '\(owner)' ORDER BY 1 LIMIT \(circles) LOOP
                    FOR n IN 1..\(messages) LOOP
                        PERFORM queue_webhook('left', circle, NULL);
                    END LOOP;
                END LOOP;
            END $$
            """)
    }

    private func waiting(for owner: String) throws -> Int {
        try count(
            """
            outgoing_webhooks q JOIN circle_webhooks w USING (circle_id)
            JOIN users u ON u.id = w.owner_id WHERE u.username = '\(owner)'
            """)
    }

    @Test("of a few owners don't fill the queue, and those of the largest are refused first")
    func fullQueue() throws {
        let large = (1...5).map { "owner-\($0)" }
        for name in large {
            try makeOwners(name)
            try queue(100, of: name)
            #expect(try waiting(for: name) == 500)
        }
        #expect(try count("outgoing_webhooks") == 2500)
        let session = try database.session()
        let dropped: Int = try session.query("SELECT sum(dropped) FROM circle_webhooks")[0][0]
        #expect(dropped == 5 * 1500)
        try makeOwners("rob", "ada", "bo")
        try queue(30, of: "rob", circles: 1)
        #expect(try waiting(for: "rob") == 30)

        // Almost full: an owner may have a tenth of what is free.
        try execute(
            """
            INSERT INTO outgoing_webhooks (kind, circle_id)
            SELECT 'left', w.circle_id FROM circle_webhooks w JOIN users u ON u.id = w.owner_id,
                   generate_series(1, 9800 - (SELECT count(*) FROM outgoing_webhooks)) n
            WHERE u.username = 'owner-1'
              AND w.circle_id = (SELECT min(circle_id::text)::uuid FROM circle_webhooks
                                 WHERE owner_id = u.id)
            """)
        try queue(1, of: "owner-1")
        try queue(1, of: "rob")
        #expect(try waiting(for: "rob") == 30)
        try queue(10, of: "ada", circles: 1)
        #expect(try waiting(for: "ada") == 10)
        #expect(try count("outgoing_webhooks") == 9810)
        // A test is refused by a full queue only.
        func test(_ owner: String) throws -> Bool? {
            try session.query(
                """
                SELECT queue_webhook('test', w.circle_id, NULL)
                FROM circle_webhooks w JOIN users u ON u.id = w.owner_id
                WHERE u.username = $1 LIMIT 1
                """, [.text(owner)])[0][0]
        }
        #expect(try test("rob") == true)
        try execute(
            """
            INSERT INTO outgoing_webhooks (kind, circle_id)
            SELECT 'left', (SELECT min(circle_id::text)::uuid FROM circle_webhooks
                            WHERE owner_id = (SELECT id FROM users WHERE username = 'owner-1'))
            FROM generate_series(1, 10000)
            """)
        #expect(try test("rob") == false)
        try queue(1, of: "bo", circles: 1)
        #expect(try waiting(for: "bo") == 0)
    }

    @Test("reach other owners, and other hosts, while receivers hang")
    func hanging() async throws {
        try makeOwners("eve", "mallory", "rob")
        // Twenty circles of eve, at a host of hers, and many of others at one that hangs, too.
        try execute(
            """
            UPDATE circle_webhooks w SET address = 'https://hangs.example/'
            FROM users u WHERE u.id = w.owner_id AND u.username <> 'rob'
            """)
        for name in (1...8).map({ "many-\($0)" }) {
            try makeOwners(name)
            try execute(
                """
                UPDATE circle_webhooks w SET address = 'https://hangs.example/'
                FROM users u WHERE u.id = w.owner_id AND u.username = '\(name)'
                """)
            try queue(1, of: name)
        }
        try queue(1, of: "eve")
        try queue(1, of: "mallory")
        try queue(2, of: "rob")
        let (hanging, others) = (Recorder<String>(), Recorder<UUID>())
        let gate = AsyncStream<Void>.makeStream()
        try await withStore(database) { store in
            let circles = try Self.queue(store) { webhook throws(HTTPClientError) in
                if webhook.address.host == "hangs.example" {
                    hanging.record(webhook.address.host)
                    for await _ in gate.stream {}
                } else {
                    others.record(webhook.id)
                }
                return ClientResponse(status: .ok)
            }
            async let round: Void = circles.deliver()
            try await eventually("all of rob's") { others.count == 40 }
            #expect((1...WebhookQueue.concurrencyPerHost).contains(hanging.count))
            // What comes later doesn't wait for the end of the round either.
            try queue(1, of: "rob", circles: 1)
            try await eventually("the next one of rob's") { others.count == 41 }
            gate.continuation.finish()
            try await round
            #expect(hanging.count == 200)
        }
        #expect(try count("outgoing_webhooks") == 0)
    }
}
