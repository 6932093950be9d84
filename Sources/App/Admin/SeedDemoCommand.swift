import ArgumentParser
import Demo
import FaveGames
import Foundation
import HTTP
import Postgres
import Storage
import StorageWrites

struct SeedDemoCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed-demo",
        abstract: "Add made-up people with believable lists, and circles of them.",
        discussion: """
            For trying things out. Needs the catalogue (seed-catalogue). The same seed makes the \
            same people. People whose username is taken are left out, so running it again adds no \
            one.
            """)

    @Option(help: "How many people to add, up to ten million.")
    var users = 500

    @Option(help: "Any number; a different number makes different lists.")
    var seed: UInt64 = 1

    @Flag(help: "Do nothing if the database already has users.")
    var ifEmpty = false

    @OptionGroup var output: OutputOptions

    private static let batchSize = 10_000

    func validate() throws {
        guard (1...10_000_000).contains(users) else {
            throw ValidationError("--users must be from 1 to 10000000.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let users: Int
        let entries: Int
        let leftOut: Int
        let skipped: Bool

        var description: String {
            if skipped { return "Nothing to do: the database already has users." }
            let left = leftOut > 0 ? " \(leftOut) were left out: their usernames are taken." : ""
            return "\(users) users with \(entries) entries added.\(left)"
        }
    }

    func perform(_ session: BlockingSession) async throws -> Report {
        let store = BulkStore(session)
        if ifEmpty, try !store.hasNoUsers() {
            return Report(users: 0, entries: 0, leftOut: 0, skipped: true)
        }
        let lists = DemoLists(
            seed: seed,
            games: try StarterData.demoGames().map {
                DemoCatalogue.Game(
                    id: $0.game.id, name: $0.game.name.main, year: $0.game.releaseYear,
                    platforms: $0.platformIDs)
            })
        var progress = ProgressBar("Making lists", total: users, isShown: !output.json)
        var added = (users: 0, entries: 0)
        let now = Date()
        do {
            for start in stride(from: 0, to: users, by: Self.batchSize) {
                let numbers = start..<min(start + Self.batchSize, users)
                var batch = try numbers.map { try Self.seed(lists.user($0), now: now) }
                if start == 0 { Self.acquaint(&batch, lists, among: users) }
                let changes = try store.load(batch)
                added.users += changes.users
                added.entries += changes.entries
                progress.advance(by: numbers.count)
            }
        } catch let error as PostgresError
            where error.constraint == "entries_game_platform_fkey"
        {
            throw OperatorError("The catalogue is missing. First run: fave-admin seed-catalogue")
        }
        progress.finish()
        // Not with people who were there before.
        if added.users == users {
            try store.load(
                DemoCircle.circles(
                    seed: seed,
                    lists: (0..<min(users, DemoCircle.acquainted)).map {
                        Set(lists.user($0).entries.map(\.gameID))
                    }
                ).map { circle in try Self.seed(circle) { lists.user($0).username } })
        }
        _ = try await CommandLoop.run {
            try await $0.store.maintain(.weighHearts, ifDue: false)
        }
        try store.analyze()
        try store.deriveLastWeeksRanks()
        return Report(
            users: added.users, entries: added.entries, leftOut: users - added.users,
            skipped: false)
    }

    /// Makes the first people follow and agree with each other.
    private static func acquaint(_ batch: inout [ListSeed], _ lists: DemoLists, among users: Int) {
        for number in batch.indices.prefix(DemoLists.acquainted) {
            let bonds = lists.bonds(of: number, among: users)
            batch[number].follows = bonds.follows.map { batch[$0].username }
            batch[number].hearts = bonds.hearts.map { (batch[$0.user].username, $0.position) }
        }
    }

    private static func seed(
        _ circle: DemoCircle, _ username: (Int) -> String
    ) throws -> CircleSeed {
        guard let name = CircleName(circle.name),
            let description = CircleDescription(circle.description)
        else { throw OperatorError("A demo circle breaks the rules of names.") }
        return CircleSeed(
            name: name, description: description,
            visibility: circle.isPublic ? .public : .members,
            members: circle.members.map(username))
    }

    private static func seed(_ user: DemoUser, now: Date) throws -> ListSeed {
        let year = CivilDate(daysSince1970: Int(now.timeIntervalSince1970) / 86_400).year
        return ListSeed(
            username: user.username, displayName: user.displayName,
            madeAt: now.addingTimeInterval(-Double(user.ageInSeconds)),
            entries: try user.entries.map(draft),
            snapshots: try user.snapshots.map { snapshot in
                SnapshotSeed(
                    year: year - snapshot.yearsAgo, entries: try snapshot.entries.map(draft))
            })
    }

    private static func draft(_ entry: DemoEntry) throws -> DraftEntry {
        DraftEntry(
            gameID: entry.gameID, platformID: entry.platformID, comment: try Comment(entry.comment),
            rating: entry.rating.flatMap(Rating.init), tags: try Tags(entry.tags))
    }
}
