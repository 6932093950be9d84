import Actions
import Attempts
import CSV
import Endpoints
import FaveGames
import GameSearch
import HTTP
import HTTPServer
import HTTPTypes
import Identity
import Imports
import Logging
import Postgres
import ShareCard
import Storage
import Work

// The one place where errors of other modules become status codes.
extension Problem {
    /// - Parameter logger: Gets the details that a client must not see.
    init(_ error: any Error, logger: Logger) {
        if let problem = Problem(refusal: error) {
            self = problem
            return
        }
        switch error {
        case is IdempotencyKeyReusedError:
            self.init(
                .idempotencyKeyReused,
                "The Idempotency-Key was used for another request. Use a new one.")
        case is RequestInProgressError:
            self.init(
                .requestInProgress,
                "The same request is being carried out. Send it again in a second.")
            headerFields[.retryAfter] = "1"
        // No refusal of a form: who has opened a page is sent to sign in.
        case is AccountGone: self = .unauthorized(hadToken: true)
        case let error as OpenIDError: self.init(error, logger: logger)
        case is CardRenderer.ShareError:
            self.init(
                .tooManyRequests,
                "Your address is waiting for too many pictures already. Try again in 2 seconds.")
            headerFields[.retryAfter] = "2"
        case is WorkerPool.BusyError:
            self = .unavailable("The server is busy. Try again in a moment.")
        case let error as RequestError: self = Problem(ProblemKind(error.status), error.description)
        case let error as PostgresError: self.init(error, logger: logger)
        case is CancellationError: self = .unavailable("The request was cancelled.")
        default:
            logger.error("unexpected error: \(String(reflecting: error))")
            self.init(.internalServerError, "Something went wrong here. It has been logged.")
        }
    }

    /// - Returns: `nil` unless the error says why something that someone wanted was refused.
    init?(refusal error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ListError: self.init(error)
        case let error as SnapshotError: self.init(.conflict, error.description)
        case let error as AccountError: self.init(error)
        case let error as TooManyAttempts:
            self.init(.tooManyAttempts, error.description)
            headerFields[.retryAfter] = String(error.retryAfter)
        case let error as CircleError: self.init(error)
        case let error as RefusedText: self.init(.unprocessableContent, error.description)
        case let error as FollowError: self.init(error)
        case let error as BlockError: self.init(error)
        case let error as HeartError: self.init(error)
        case let error as ModerationError: self.init(error)
        case let error as CSVError: self.init(.unprocessableContent, error.description)
        case let error as ImportFault: self.init(.unprocessableContent, error.description)
        case is ImportRunningError:
            self.init(
                .conflict,
                "Your last import is still running. Try again in a minute, or delete it first.")
        case let error as NewPassword.Weakness: self.init(.weakPassword, error.description)
        case let error as UnresolvedGames:
            self = .unavailable(error.description + " Try again in a minute.", retryAfter: 60)
        default: return nil
        }
    }

    private init(_ error: ListError) {
        switch error {
        case .noSuchEntry: self = .notFound(error.description)
        case .tooManyEntries: self.init(.listFull, error.description)
        case .duplicateGame: self.init(.duplicateEntry, error.description)
        case .changedMeanwhile:
            self.init(
                .preconditionFailed, error.description + " Read it again, and repeat the change.")
        case .wrongPicks(let wrong): self.init(wrong) { "/entries/\($0)" }
        case .positionOutOfRange:
            self.init(.invalidMembers, error.description)
            errors = [
                MemberError(pointer: "/position", .outOfRange, detail: error.description)
            ]
        case .commentTooLong: self.init(.unprocessableContent, error.description)
        }
    }

    /// A member of the body names something that isn't there.
    static func unknown(_ kind: FaultKind, at pointer: String, _ detail: String) -> Problem {
        var problem = Problem(.invalidMembers, detail)
        problem.errors = [MemberError(pointer: pointer, kind, detail: detail)]
        return problem
    }

    /// - Parameter entry: The pointer to an entry, by its index in the draft.
    init(_ wrong: [WrongPick], in entry: (Int) -> String) {
        self.init(.invalidMembers, wrong.map(\.description).joined(separator: " "))
        errors = wrong.map { pick in
            let member = pick.reason == .unknownGame ? "gameId" : "platformId"
            return MemberError(
                pointer: "\(entry(pick.index))/\(member)", FaultKind(pick.reason),
                detail: pick.description)
        }
    }

    init(_ error: CircleError) {
        switch error {
        case .notFound, .noSuchMember: self = .notFound(error.description)
        case .invitationInvalid: self.init(.invalidInvitation, error.description)
        case .full, .tooManyOwned, .tooManyJoined, .memberOwnsTooMany, .tooManyInvitations,
            .ownerMustStay, .hasMembers, .webhookQueueFull:
            self.init(.conflict, error.description)
        case .noWebhook: self = .notFound(error.description)
        case .webhookNotAllowed: self.init(.unprocessableContent, error.description)
        }
    }

    private init(_ error: FollowError) {
        switch error {
        case .notPublic: self = .notFound(error.description)
        case .oneself, .tooMany: self.init(.conflict, error.description)
        }
    }

    private init(_ error: BlockError) {
        switch error {
        case .unknown: self = .notFound(error.description)
        case .oneself, .tooMany: self.init(.conflict, error.description)
        }
    }

    private init(_ error: HeartError) {
        switch error {
        case .gone, .changed: self = .notFound(error.description)
        case .ownComment: self.init(.conflict, error.description)
        }
    }

    private init(_ error: ModerationError) {
        switch error {
        case .notReportable, .gone: self = .notFound(error.description)
        case .notAllowed: self.init(.forbidden, error.description)
        case .nothingToDo, .noAddress: self.init(.conflict, error.description)
        }
    }

    init(_ error: AccountError) {
        switch error {
        case .wrongCredentials, .wrongRecoveryCode:
            self = .unauthorized(error.description, .wrongCredentials)
        case .passkeyRefused, .newPasskeyRefused, .passkeyUnknown:
            self = .unauthorized(error.description)
        case .gone: self = .unauthorized(error.description, error: "invalid_token")
        case .wrongPassword: self.init(.wrongPassword, error.description)
        case .signInNeeded: self.init(.recentSignInRequired, error.description)
        case .firstPasswordNeedsBrowser: self.init(.passwordNotSet, error.description)
        case .disabled: self.init(.accountDisabled, error.description)
        case .suspended: self.init(.accountSuspended, error.description)
        case .signUpClosed: self.init(.signUpClosed, error.description)
        case .noInvitations: self.init(.forbidden, error.description)
        case .invitationNeeded: self.init(.invitationRequired, error.description)
        case .invitationInvalid: self.init(.invalidInvitation, error.description)
        case .noLocalAccounts: self.init(.noLocalAccounts, error.description)
        case .noMail: self.init(.noMail, error.description)
        case .resetLinkInvalid, .mailLinkInvalid: self.init(.forbidden, error.description)
        case .busy: self = .unavailable(error.description + " Try again in a moment.")
        case .usernameTaken: self.init(.usernameTaken, error.description)
        case .identityTaken, .tooManyIdentities, .tooManyTokens, .tooManyApps,
            .tooManyInvitations, .passkeyKnown, .tooManyPasskeys, .lastIdentity, .changedMeanwhile:
            self.init(.conflict, error.description)
        case .usernameReserved: self.init(.unprocessableContent, error.description)
        }
    }

    init(_ error: OpenIDError, logger: Logger) {
        // A refused code is the fault of the browser that sent it, and not worth a warning.
        logger.log(
            level: error.code == .refused && !error.isOfClient ? .info : .warning,
            "sign-in: \(error.debugDescription)")
        switch error.code {
        case .unavailable: self = .unavailable(error.description, retryAfter: 5)
        case .refused:
            self.init(.badRequest, error.description + " Start again.")
        case .badResponse: self.init(.badGateway, error.description)
        }
    }

    private init(_ error: PostgresError, logger: Logger) {
        if error.lacksResources {
            // What PostgreSQL says differs each time: it names files.
            logger.error(
                "PostgreSQL has no room (\(error.sqlState ?? "")): is its disk full?",
                metadata: ["detail": "\(error.debugDescription)"])
            self = .unavailable("\(error.forVisitors) Try again in a moment.")
        } else if error.isTransient {
            // There is no warning for each request: the pool logs once that PostgreSQL is
            // unavailable.
            logger.log(
                level: error.code == .server ? .warning : .debug,
                "database: \(error.debugDescription)")
            self = .unavailable("\(error.forVisitors) Try again in a moment.")
        } else if error.code == .outcomeUnknown {
            logger.warning("database: \(error.debugDescription)")
            self.init(
                .unavailable,
                """
                \(error.forVisitors) It’s unknown whether the change was made: look before you \
                repeat it. A request with an Idempotency-Key can be repeated as it is.
                """)
        } else if error.code == .closed {
            logger.warning("database: \(error.debugDescription)")
            self.init(.unavailable, error.forVisitors)
        } else {
            logger.error("database: \(error.debugDescription)")
            self.init(.internalServerError, "Something went wrong here. It has been logged.")
        }
    }

    init(_ error: ConnectionError) {
        switch error {
        case .badRequest(let error): self.init(ProblemKind(error.status), error.description)
        case .inClearText: self.init(.badRequest, error.description)
        case .requestTimeout: self.init(.requestTimeout, error.description)
        case .tooManyConnections, .overloaded: self = .unavailable(error.description)
        case .tooManyConnectionsOfOne:
            self = Problem(.tooManyRequests, error.description)
            headerFields[.retryAfter] = "10"
        }
    }
}

extension PostgresError {
    /// The error for people who needn't know what a database is. The log says it in technical words.
    fileprivate var forVisitors: String {
        if lacksResources { return "We have no room for this right now." }
        return switch code {
        case .queueFull, .acquisitionTimeout: "Too many people are here right now."
        case .outcomeUnknown: "We’ve lost the connection to our data."
        default: "We can’t reach our data right now."
        }
    }
}
