import FaveGames
import Foundation
import Languages
import Logging
import Storage
import StorageWrites
import TestSupport
import Testing
import Views

@testable import Identity
@testable import Mail
@testable import Outbox

@Suite("Mail in the queue", .blocking)
struct MailQueueTests {
    private let database: TestDatabase
    private let sent = Recorder<MailMessage>()

    init() throws {
        database = try TestDatabase(.migrated)
        try database.session().execute(
            """
            INSERT INTO users (username, display_name) VALUES ('rob', 'Rob');
            INSERT INTO passwords (user_id, hash) SELECT id, '$scrypt$' FROM users
            """)
    }

    /// - Parameter response: Thrown after each message was taken.
    private func delivery(
        _ store: Store, of site: SiteIdentity = SiteIdentity(),
        in languages: OfferedLanguages = OfferedLanguages(), failure: SMTPError? = nil
    ) throws -> MailQueue {
        let from = try #require(Mailbox("games@fave.example"))
        return MailQueue(
            store,
            MailSite(site, publicURL: "https://fave.example", from: from, languages: languages),
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { [sent] message throws(SMTPError) in
            sent.record(message)
            if let failure { throw failure }
        }
    }

    private func addAddress(_ store: Store) async throws {
        let rob = try #require(try await store.user(username: "rob", seenBy: nil))
        let address = try #require(MailAddress("rob@mail.example"))
        try await store.addMailAddress(
            address, hours: 24,
            confirmedBy: FaveGames.Confirmation(
                userID: rob.id, sessionID: nil, passwordHash: "$scrypt$"))
    }

    private var tokens: [SecretToken] {
        sent.elements.compactMap { message in
            message.text.firstMatch(of: /token=([\w-]{43})/).flatMap { SecretToken(String($0.1)) }
        }
    }

    @Test(
        "is in the language of the account, if the site has it",
        arguments: [("en-XA", Language.accented), ("xx", .en)])
    func language(tag: String, language: Language) async throws {
        try await withStore(database) { store in
            try database.session().query("UPDATE users SET language = $1", [.text(tag)])
            try await addAddress(store)
            let languages = OfferedLanguages([.en, .accented])
            try await delivery(store, in: languages).deliver()
            let mail = try #require(sent.elements.first)
            let subject = Words.mailConfirm.string(in: language)
            #expect(mail.subject == "\(subject) (fave.example)")
            let ignore = Words.mailConfirmIgnore.string(in: language)
            #expect(mail.text.contains("\n\n\(ignore)\n\n-- \n"))
        }
    }

    @Test("keeps the link of a mail that was accepted although the response was lost")
    func lostResponse() async throws {
        try await withStore(database) { store in
            try await addAddress(store)
            let unlucky = try delivery(store, failure: SMTPError(.interrupted))
            try await unlucky.deliver()
            try database.session().execute("UPDATE outgoing_mail SET due_at = now()")
            try await delivery(store).deliver()
            #expect(tokens.count == 2)
            for token in tokens {
                #expect(try await store.mailVerification(tokenHash: token.hash) != nil)
            }
            #expect(try await store.confirmMailAddress(tokenHash: tokens[0].hash))

            try await store.queueReset(of: "rob")
            try await unlucky.deliver()
            // It is given up in the end.
            try database.session().execute(
                "UPDATE outgoing_mail SET due_at = now(), made_at = now() - interval '2 hours'")
            try await delivery(store).deliver()
            #expect(tokens.count == 3)
            #expect(try await store.user(resetToken: tokens[2].hash) != nil)
            #expect(try await store.queuedMail().count == 0)
        }
    }

    @Test("is sent again later each time, unless the mail server refuses it for good")
    func retries() async throws {
        try await withStore(database) { store in
            try await addAddress(store)
            let session = try database.session()
            for delay in [120, 240, 480] {
                try session.execute("UPDATE outgoing_mail SET due_at = now()")
                try await delivery(store, failure: SMTPError(.timedOut)).deliver()
                let wait: Int = try session.query(
                    "SELECT extract(epoch FROM due_at - now())::integer FROM outgoing_mail")[0][0]
                // Some time has passed, and up to a tenth is added.
                #expect((delay - 60...delay * 11 / 10).contains(wait), "\(wait)")
            }
            #expect(sent.count == 3)
            try session.execute("UPDATE outgoing_mail SET due_at = now()")
            let refused = SMTPError(.refused(.recipient, reply: 550))
            try await delivery(store, failure: refused).deliver()
            #expect(sent.count == 4)
            #expect(try await store.queuedMail().count == 0)
        }
    }

    @Test("names the site, and whom to write to")
    func ownSite() async throws {
        let site = {
            var site = SiteIdentity()
            site.name = "Couch Club"
            site.contact = ExternalAddress("mailto:jane@couch.example")
            return site
        }()
        try await withStore(database) { store in
            try await addAddress(store)
            try database.session().execute(
                """
                INSERT INTO outgoing_mail (kind, subject)
                VALUES ('address', 'rob@mail.example'), ('deleted', 'rob@mail.example');
                INSERT INTO outgoing_mail (kind, user_id) SELECT 'token-added', id FROM users
                """)
            try await delivery(store, of: site).deliver()
            try await store.queueReset(of: "rob")
            try await delivery(store, of: site).deliver()
        }
        #expect(sent.elements.count >= 3)
        for message in sent.elements {
            #expect(message.text.hasSuffix("\n-- \nCouch Club\nhttps://fave.example\n"))
            #expect(!message.text.contains("Fave") && !message.subject.contains("Fave"))
        }
        let naming = sent.elements.filter {
            $0.text.contains("the people who run the site (jane@couch.example).")
        }
        #expect(naming.count == 2)
    }

    @Test("greets, and then begins with a whole sentence", arguments: QueuedMail.Kind.allCases)
    func sentences(kind: QueuedMail.Kind) async throws {
        try await withStore(database) { store in
            try await addAddress(store)
            try database.session().execute(
                """
                UPDATE users SET role = 'moderator';
                INSERT INTO mail_addresses (user_id, address, canonical, reports_after)
                SELECT id, 'rob@mail.example', 'rob@mail.example', now() FROM users;
                INSERT INTO users (username, display_name) VALUES ('eve', 'Eve');
                INSERT INTO cases (kind, user_id) SELECT 'list', id FROM users
                WHERE username = 'eve';
                DELETE FROM outgoing_mail;
                INSERT INTO outgoing_mail (kind, user_id, subject)
                SELECT '\(kind.rawValue)',
                       CASE WHEN '\(kind.rawValue)' NOT IN ('reset', 'address', 'deleted')
                            THEN id END,
                       CASE '\(kind.rawValue)' WHEN 'reset' THEN 'rob' ELSE 'rob@mail.example' END
                FROM users WHERE username = 'rob'
                """)
            try await delivery(store).deliver()
        }
        #expect(sent.elements.count == 1)
        let text = try #require(sent.elements.first?.text)
        let body = try #require(text.firstMatch(of: /^Hello( @rob)?,\n\n(.*)/.dotMatchesNewlines()))
        for paragraph in body.2.split(separator: "\n\n") where !paragraph.contains("://") {
            #expect(paragraph.first?.isUppercase == true || paragraph.hasPrefix("-- "), "\(text)")
        }
        let wrong = ["'", " mail", " program", ", or removed", ", or revoked", ", or disconnected"]
        #expect(wrong.filter(text.contains) == [])
    }

    @Test("tells moderators who want it of new reports, once in a quarter of an hour")
    func reports() async throws {
        @Sendable func report(_ name: String) throws {
            try database.session().execute(
                """
                INSERT INTO users (username, display_name) VALUES ('\(name)', 'Someone');
                INSERT INTO cases (kind, user_id) SELECT 'list', id FROM users
                WHERE username = '\(name)'
                """)
        }
        try database.session().execute(
            """
            INSERT INTO mail_addresses (user_id, address, canonical)
            SELECT id, 'rob@mail.example', 'rob@mail.example' FROM users
            """)
        let rob: UUID = try database.session().query("SELECT id FROM users")[0][0]
        try await withStore(database) { store in
            let delivery = try delivery(store)
            #expect(try await !store.setReportMail(true, userID: rob), "only moderators get any")
            try database.session().execute("UPDATE users SET role = 'moderator'")
            try report("ada")
            try await delivery.deliver()
            #expect(sent.count == 0, "nobody gets any without asking for it")
            #expect(try await store.setReportMail(true, userID: rob))
            #expect(try await store.wantsReportMail(userID: rob) == true)
            try report("eve")
            try await delivery.deliver()
            #expect(sent.elements.map(\.subject) == ["2 reports are waiting (fave.example)"])
            let text = try #require(sent.elements.first?.text)
            #expect(text.contains("https://fave.example/moderation"))
            #expect(!text.contains("eve"))
            // The next ones come together.
            for name in ["mia", "zoe"] { try report(name) }
            try await delivery.deliver()
            #expect(sent.count == 1)
            #expect(try await store.queuedMail().count == 1)
            try database.session().execute("UPDATE outgoing_mail SET due_at = now()")
            try await delivery.deliver()
            #expect(sent.count == 2)
            // Nothing is waiting any more by then.
            try report("ben")
            try database.session().execute(
                "UPDATE cases SET closed_at = now(); UPDATE outgoing_mail SET due_at = now()")
            try await delivery.deliver()
            #expect(sent.count == 2)
            #expect(try await store.setReportMail(false, userID: rob))
            try report("max")
            #expect(try await store.queuedMail().count == 0)
        }
    }

    @Test("is sent by a program whose clock differs from the database's", arguments: [2, -2])
    func clocks(hours: Int) async throws {
        let url = try database.movingClock(hours: hours)
        try await withStore(at: url) { store in
            try await addAddress(store)
            try await delivery(store).deliver()
            #expect(tokens.count == 1)
            #expect(try await store.confirmMailAddress(tokenHash: tokens[0].hash))
            #expect(try await store.queuedMail().count == 0)
        }
    }
}
