import Endpoints
import FaveGames
import Foundation
import HTTP
import Languages
import Storage
import Views

// How the API and pages read snapshots.
extension RequestContext {
    /// A user’s snapshots, the latest first; empty if the visitor may not see the user's list.
    func snapshots(of username: Username) async throws -> [SnapshotSummary] {
        try await services.store.snapshots(
            username: username.description, seenBy: visitor?.user.id)?.lists ?? []
    }

    /// The snapshot of the visitor's year, in the weeks after it was taken.
    func yearInReview() async throws -> SnapshotSummary? {
        guard let visitor else { return nil }
        return try await services.store.yearInReview(userID: visitor.user.id)
    }

    /// A snapshot, if the visitor may see what the list is now.
    ///
    /// - Parameter address: Makes its address under another username.
    /// - Throws: `Moved` for a former username; 404.
    func snapshot(
        of username: Username, _ slug: SnapshotSlug, _ address: (String, String) -> String
    ) async throws -> Snapshot {
        try await snapshot(of: username, slug, seenBy: visitor?.user.id, address)
    }

    /// As above.
    ///
    /// - Parameter viewer: `nil` for what everyone sees.
    func snapshot(
        of username: Username, _ slug: SnapshotSlug, seenBy viewer: UUID?,
        _ address: (String, String) -> String
    ) async throws -> Snapshot {
        let store = services.store
        let name = username.description
        if let snapshot = try await store.snapshot(username: name, slug: slug, seenBy: viewer) {
            return snapshot
        }
        guard let successor = try await store.successor(ofUsername: name) else {
            throw Problem.noSnapshot
        }
        throw Moved(path: address(successor, slug.description))
    }
}

extension SnapshotTitle {
    /// What a snapshot that is taken now is called if its owner doesn't choose a title.
    static var suggested: SnapshotTitle {
        SnapshotTitle(
            year: CivilDate(daysSince1970: Int(Date().timeIntervalSince1970) / 86_400).year)
    }
}

extension Problem {
    static let noSnapshot = Problem.notFound(.noSuchSnapshot)
}

extension Input where Value == SnapshotSlug {
    static var snapshotSlug: Self {
        .path(
            "snapshot", noun: "snapshot",
            "The end of the snapshot's address: its year, with a number for all but a yearly one.",
            V1.snapshotSlug
        ) { SnapshotSlug($0) }
    }
}

extension Snapshot {
    /// The title with the owner's name.
    var fullTitle: Words {
        summary.year.map { .fiveOf(year: $0, of: owner.displayName) }
            ?? .snapshot(summary.title, of: owner.displayName)
    }
}

extension NamedLink {
    init(_ snapshot: SnapshotSummary, of owner: User) {
        self.init(
            name: Words(name: snapshot.title), href: Path.snapshot(owner.username, snapshot.slug))
    }
}
