public import Attempts
import Encodings
public import FaveGames
public import Foundation
import Identity
public import Storage
import StorageWrites

/// Reports, and what moderators do. Whether someone is a moderator is checked in the statements
/// themselves. Methods throw `ModerationError` and `PostgresError`.
public struct ModerationActions: Sendable {
    private let store: Store
    private let attempts: AttemptCounter

    /// Reports from one address by people who aren't signed in, and by one user.
    static let reportsPerAddress = AttemptLimit(5, per: .seconds(3600))
    static let reportsPerUser = AttemptLimit(30, per: .seconds(3600))

    public init(_ store: Store, _ attempts: AttemptCounter) {
        self.store = store
        self.attempts = attempts
    }

    /// Reports something, within limits: more generous ones for people who are signed in.
    ///
    /// - Parameters:
    ///   - user: `nil` if no one is signed in.
    ///   - address: Of the request, as for `AttemptCounter`.
    /// - Throws: `ModerationError.notReportable`, `TooManyAttempts`.
    public func report(
        _ thing: ReportedThing, by user: User?, from address: String, reason: ReportReason,
        note: ModerationNote
    ) async throws {
        let reporter: String
        if let user {
            try await attempts.count(Attempt("report", user.id), Self.reportsPerUser)
            reporter = user.id.text
        } else {
            try await attempts.count(from: address, Self.reportsPerAddress) {
                Attempt("report from", $0)
            }
            // The digest includes the thing, so that digests do not link one network's reports.
            reporter = try await attempts.digest(of: Attempt("report of \(thing) from", address))
        }
        let isThere = try await store.report(
            thing, by: reporter, reporterID: user?.id, reason: reason, note: note)
        guard isThere else { throw ModerationError.notReportable }
    }

    /// Chooses whether a moderator gets mail about new reports.
    ///
    /// - Throws: `ModerationError.noAddress`.
    public func setMail(_ isWanted: Bool, for moderator: User) async throws {
        guard try await store.setReportMail(isWanted, userID: moderator.id) else {
            throw ModerationError.noAddress
        }
    }

    /// Resolves a case, which closes it.
    ///
    /// - Parameters:
    ///   - reason: Shown to the affected person.
    ///   - moderator: `nil` for an operator.
    public func resolve(
        caseID: Int, _ decision: ModerationDecision, reason: ModerationNote, by moderator: User?
    ) async throws {
        try await store.decide(
            caseID: caseID, decision, reason: reason, by: moderator?.id
        ).check()
    }

    /// Takes the name, the address and the description from a public circle.
    ///
    /// - Parameter reason: Shown to the circle's owner.
    public func hideCircle(_ id: UUID, reason: ModerationNote, by moderator: User) async throws {
        try await store.hideCircle(id: id, reason: reason, by: moderator.id).check()
    }

    /// Undoes an action: shows a text or a list again, or ends a suspension.
    public func undo(_ actionID: Int, by moderator: User) async throws {
        try await store.undo(actionID: actionID, reason: .empty, by: moderator.id).check()
    }

    /// Shows a new account's list publicly at once.
    public func approve(_ username: Username, by moderator: User) async throws {
        try await store.approve(username: username, by: moderator.id).check()
    }
}

/// Why a moderator's action, or a report, was refused.
public enum ModerationError: Error, Hashable, Sendable {
    /// The reported thing doesn't exist, or isn't public.
    case notReportable
    case gone
    case notAllowed
    case nothingToDo
    /// The moderator has no confirmed address.
    case noAddress
}

extension ModerationOutcome {
    fileprivate func check() throws(ModerationError) {
        switch self {
        case .done: return
        case .gone: throw .gone
        case .notAllowed: throw .notAllowed
        case .nothingToDo: throw .nothingToDo
        }
    }
}
