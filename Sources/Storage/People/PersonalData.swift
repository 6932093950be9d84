public import FaveGames
public import Foundation
import Postgres

/// Everything held about a user, as it was at one moment. `StoredData` says what is left out.
public struct PersonalData: Sendable {
    public let account: Account
    public let waysIn: WaysIn
    public let relations: Relations

    /// The user and their lists.
    public struct Account: Sendable {
        public let readAt: Date
        public let disabledAt: Date?
        /// `nil` if there is no password.
        public let passwordChangedAt: Date?
        /// When the user last looked at their news; `nil` if they never did.
        public let newsSeenAt: Date?
        /// The list, including its owner.
        public let list: FaveList
        /// The latest first.
        public let formerUsernames: [String]
        /// The latest first, each with whether others saw the ratings then.
        public let snapshots: [(list: Snapshot, showedRatings: Bool)]
        public let gameImport: (file: GameImport, rows: [StoredImportRow])?
    }

    /// How the user signs in, and where.
    public struct WaysIn: Sendable {
        public let identities: [LinkedIdentity]
        public let passkeys: [PasskeyRecord]
        public let recoveryCodes: RecoveryCodes?
        public let mailAddresses: MailAddresses
        public let tokens: [PersonalTokenRecord]
        /// Includes the sessions of apps.
        public let sessions: [SessionRecord]
        /// Those that the user has registered.
        public let apps: [ClientApp]
        /// For each browser that the user has signed in with, the time of its last use.
        public let knownBrowsers: [Date]
    }

    /// The user's relations to other people, to circles and to moderators.
    public struct Relations: Sendable {
        public let following: [Follow]
        public let followers: [Follow]
        public let blocks: [BlockedPerson]
        public let followFeedMadeAt: Date?
        public let hearts: [GivenHeart]
        public let circles: [(circle: OwnCircle, invitations: [CircleInvitation])]
        /// The webhooks of the user's own circles, the oldest first.
        public let webhooks: [(circleID: UUID, webhook: CircleWebhook)]
        public let invitations: [Invitation]
        /// The moderators' actions that affect the user.
        public let notices: [ModerationNotice]
        /// The user's reports.
        public let reports: [MadeReport]
    }

    /// Someone that the user follows, or who follows the user.
    public struct Follow: Sendable {
        /// `nil` while their list isn't public.
        public let username: String?
        public let followedAt: Date

        fileprivate init(_ row: FollowRow) {
            username = row.isPublic ? row.person.username : nil
            followedAt = row.person.followedAt
        }
    }
}

extension Store {
    /// Everything held about a user, in one snapshot; `nil` if there is no such user.
    public func personalData(userID: UUID) async throws -> PersonalData? {
        try await inSnapshot { try await PersonalData(of: userID, by: $0) }
    }

    /// Runs `body` in a transaction whose statements all see what was committed when it began.
    func inSnapshot<Result>(_ body: (Transaction) async throws -> Result) async throws -> Result {
        try await database.withTransaction { transaction in
            try await transaction.query(Personal.snapshot)
            return try await body(transaction)
        }
    }
}

extension PersonalData {
    init?(of userID: UUID, by runner: some StatementRunner) async throws(PostgresError) {
        guard let account = try await Account(of: userID, by: runner) else { return nil }
        self.account = account
        waysIn = try await WaysIn(of: userID, by: runner)
        relations = try await Relations(of: userID, by: runner)
    }
}

extension PersonalData.Account {
    fileprivate init?(of userID: UUID, by runner: some StatementRunner) async throws(PostgresError)
    {
        let user: [PostgresParameter] = [.uuid(userID)]
        guard let times = try await runner.query(Personal.times, user).first,
            let list = try await runner.query(Lists.byUserID, user).first
        else { return nil }
        (readAt, disabledAt, passwordChangedAt, newsSeenAt) = times
        self.list = FaveList(list)
        formerUsernames = try await runner.query(Users.formerUsernames, user)
        let found = try await runner.query(Snapshots.all, user)
        snapshots = found.indices.compactMap { index in
            Snapshot(found[index...]).map { ($0, found[index].key.showedRatings) }
        }
        if let file = try await runner.query(ImportQueries.ofUser, user).first {
            gameImport = (file, try await runner.query(ImportQueries.allRows, user))
        } else {
            gameImport = nil
        }
    }
}

extension PersonalData.WaysIn {
    fileprivate init(of userID: UUID, by runner: some StatementRunner) async throws(PostgresError) {
        let user: [PostgresParameter] = [.uuid(userID)]
        identities = try await runner.query(Identities.ofUser, user)
        passkeys = try await runner.query(Passkeys.ofUser, user)
        recoveryCodes = try await runner.query(Recovery.codes, user).first
        mailAddresses = try await runner.row(MailQueries.ofUser, user)
        tokens = try await runner.query(PersonalTokens.ofUser, user)
        sessions = try await runner.query(Sessions.ofUser, user)
        apps = try await runner.query(Apps.ofUser, user)
        knownBrowsers = try await runner.query(Devices.ofUser, user)
    }
}

extension PersonalData.Relations {
    fileprivate init(of userID: UUID, by runner: some StatementRunner) async throws(PostgresError) {
        let user: [PostgresParameter] = [.uuid(userID)]
        let all = user + [.int(Int(Int32.max)), .int(Store.endOfTime), .uuid(.last)]
        following = try await runner.query(Follows.following, all).map(PersonalData.Follow.init)
        followers = try await runner.query(Follows.followers, all).map(PersonalData.Follow.init)
        blocks = try await runner.query(Blocks.ofUser, all).map { $0.person }
        followFeedMadeAt = try await runner.query(Follows.feedDate, user).first
        hearts = try await runner.query(HeartQueries.ofGiver, user)
        circles = try await runner.query(Circles.withInvitations, user)
            .map { (circle: $0.key, invitations: $0.values) }
        webhooks = try await runner.query(Webhooks.ofOwner, user)
            .map { (circleID: $0, webhook: $1) }
        invitations = try await runner.query(InvitationQueries.allOfUser, user)
        notices = try await runner.query(Moderation.allNotices, user)
        reports = try await runner.query(Reports.ofReporter, user)
    }
}

private enum Personal {
    static let snapshot = Statement(
        "read_one_snapshot", .write, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    static let times = Query(
        "personal_times", .read,
        columns(
            column("now()", Date.self), column("u.disabled_at", Date?.self),
            column("p.changed_at", Date?.self), column("v.seen_at", Date?.self))
    ) {
        """
        SELECT \($0)
        FROM users u
        LEFT JOIN passwords p ON p.user_id = u.id
        LEFT JOIN news_visits v ON v.user_id = u.id
        WHERE u.id = $1
        """
    }
}
