import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// The statements whose rows don't depend on whom their reader has blocked.
@Suite("A statement that hides no one from its reader", .blocking)
struct UnfilteredTests {
    private static let statements: [Statement] = [
        Apps.byID.statement, Accounts.credentialsByUsername.statement,
        Accounts.credentialsByUserID.statement,
        Blocks.blockable.statement, Blocks.byUsername.statement, Blocks.ofUser.statement,
        Blocks.ofUserBefore.statement, Devices.isKnown.statement,
        MailQueries.verification.statement,
        Moderation.concerned.statement, Moderation.log.statement,
        Moderation.newAccounts.statement, Moderation.suspension.statement,
        Passkeys.byCredential.statement, Recovery.resetOwner.statement, Reports.entry.statement,
        Reports.open.statement, Reports.user.statement, Users.byIdentity.statement,
        Users.byUsername.statement, Users.nameIsFree.statement,
    ]

    private static let reasons = """
        act_concerns: Moderators undo actions about people whom they have blocked, too.
        app: Someone who is asked to trust an app must learn who registered it.
        blockable_user: People can block those who have blocked them.
        blocked_people: People see the list of those whom they have blocked.
        blocked_people_before: People see the list of those whom they have blocked.
        blocked_person: People see whom they have blocked.
        credentials_by_user_id: Someone may sign in while the browser is signed in to another account.
        credentials_by_username: Someone may sign in while the browser is signed in to another account.
        is_known_device: The browser may be signed in to another account than the one it is known for.
        mail_verification: The browser may be signed in to another account than the mail's.
        moderation_log: Moderators see what was done about people whom they have blocked.
        new_accounts: Moderators approve people whom they have blocked, too.
        open_cases: Moderators decide about people whom they have blocked, too.
        passkey: The browser may be signed in to another account than the passkey's.
        reportable_entry: People can report what those who have blocked them write.
        reportable_user: People can report those who have blocked them.
        reset_owner: The browser may be signed in to another account than the link's.
        suspension: The browser may be signed in to another account than the suspended one.
        user_by_identity: The browser may be signed in to another account than the identity's.
        user_by_username: Moderators and operators decide about everyone.
        username_is_free: A username is taken, no matter whose it is.
        """

    @Test("says why, and all of them are listed here")
    func list() throws {
        let listed = Self.statements.map { "\($0.name): \($0.unfiltered ?? "")" }
        #expect(listed.sorted().joined(separator: "\n") == Self.reasons)
        #expect(Self.statements.allSatisfy { !$0.effect.isWrite }, "Nothing is hidden from writes.")
        // A function makes several statements with one reason.
        let found = try Self.sources().flatMap { file in
            let uses = file.text.matches(of: /\bunfiltered:\s*(?:"([^"]*)")?/)
            return uses.map { $0.1.map(String.init) ?? "\(file.name): a reason that is no literal" }
        }
        #expect(Set(found) == Set(Self.statements.compactMap(\.unfiltered)))
        #expect(found.count == Set(found).count, "Each has a reason of its own.")
        // A function with a reason gives it to everything that it makes: two statements each.
        let made = Dictionary(grouping: Self.statements, by: \.unfiltered).filter { $1.count > 1 }
        #expect(made.values.map(\.count) == [2, 2])
        let calls = try Self.sources().filter { $0.name.hasPrefix("Storage") }.map { file in
            file.text.matches(of: /= (?:credentials|ofUser)\(\s*["\.]/).count
        }
        #expect(calls.reduce(0, +) == 4)
    }

    /// A name with its schema would get past the queries of the same names that hide people.
    @Test("never gets there by the schema in a table's name")
    func schemas() throws {
        for file in try Self.sources() where file.name != "Storage/Viewer.swift" {
            let match = file.text.firstMatch(of: /"?public"?\."?(?:users|lists|entries)\b/)
            #expect(match == nil, "\(file.name): \(match?.0 ?? "")")
        }
    }

    private static func sources() throws -> [(name: String, text: String)] {
        let folder = TestDatabase.repository + "/Sources"
        let names = try #require(FileManager.default.enumerator(atPath: folder))
            .compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Postgres/") }
        #expect(names.count > 400)
        return try names.map {
            ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
        }
    }

    @Test("lets moderators undo an action about someone whom they have blocked")
    func undo() async throws {
        let database = try TestDatabase()
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        try database.session().execute(
            "UPDATE users SET role = 'moderator' WHERE username = 'rob'")
        try await withStore(database) { store async throws in
            let note = try #require(ModerationNote("Spam."))
            let name = try #require(Username("ada"))
            #expect(
                try await store.report(
                    .list(name), by: "bo", reporterID: nil, reason: .spam, note: note))
            #expect(try await store.block(username: "ada", as: rob))
            let viewer = Viewer()
            viewer.leaveOutBlocked(of: rob, andBlockers: false)
            let store = store.reading(.anew, for: viewer)
            #expect(try await store.user(username: "ada", seenBy: rob) == nil)
            let found = try #require(try await store.openCases(after: 0, for: rob).first)
            #expect(found.username == "ada")
            #expect(
                try await store.decide(caseID: found.id, .hideList, reason: note, by: rob) == .done)
            let record = try #require(try await store.moderationLog().first)
            #expect(record.username == "ada" && record.isInForce)
            #expect(try await store.undo(actionID: record.id, reason: note, by: rob) == .done)
            let visibility: String = try database.session().query(
                "SELECT visibility FROM users WHERE id = $1", [.uuid(ada)])[0][0]
            #expect(visibility == "public")
        }
    }
}
