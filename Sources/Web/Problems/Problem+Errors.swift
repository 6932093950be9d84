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
import Languages
import Logging
import Postgres
import ShareCard
import Storage
import Views
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
                .english("The Idempotency-Key was used for another request. Use a new one."))
        case is RequestInProgressError:
            self.init(
                .requestInProgress,
                .english("The same request is being carried out. Send it again in a second."))
            headerFields[.retryAfter] = "1"
        // No refusal of a form: who has opened a page is sent to sign in.
        case is AccountGone: self = .unauthorized(hadToken: true)
        case let error as OpenIDError: self.init(error, logger: logger)
        case is CardRenderer.ShareError:
            self.init(.tooManyRequests, .tooManyPictures)
            headerFields[.retryAfter] = "2"
        case is WorkerPool.BusyError:
            self = .unavailable(.serverBusy)
        case let error as RequestError:
            self = Problem(ProblemKind(error.status), .english(error.description))
        case let error as PostgresError: self.init(error, logger: logger)
        case is CancellationError: self = .unavailable(.english("The request was cancelled."))
        default:
            logger.error("unexpected error: \(String(reflecting: error))")
            self.init(.internalServerError, .somethingLogged)
        }
    }

    /// - Returns: `nil` unless the error says why something that someone wanted was refused.
    init?(refusal error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ListError: self.init(error)
        case let error as SnapshotError: self.init(.conflict, error.words)
        case let error as AccountError: self.init(error)
        case let error as TooManyAttempts:
            self.init(.tooManyAttempts, error.words)
            headerFields[.retryAfter] = String(error.retryAfter)
        case let error as CircleError: self.init(error)
        case let error as RefusedText: self.init(.unprocessableContent, error.words)
        case let error as FollowError: self.init(error)
        case let error as BlockError: self.init(error)
        case let error as HeartError: self.init(error)
        case let error as ModerationError: self.init(error)
        case let error as CSVError: self.init(.unprocessableContent, error.words)
        case let error as ImportFault: self.init(.unprocessableContent, error.words)
        case is ImportRunningError:
            self.init(.conflict, .importRunning)
        case let error as NewPassword.Weakness: self.init(.weakPassword, error.words)
        case is UnresolvedGames: self = .unavailable(.gamesUnresolved, retryAfter: 60)
        default: return nil
        }
    }

    private init(_ error: ListError) {
        switch error {
        case .noSuchEntry: self = .notFound(error.words)
        case .tooManyEntries: self.init(.listFull, error.words)
        case .duplicateGame: self.init(.duplicateEntry, error.words)
        case .changedMeanwhile:
            self.init(.preconditionFailed, error.words)
        case .wrongPicks(let wrong): self.init(wrong) { "/entries/\($0)" }
        case .positionOutOfRange:
            self.init(.invalidMembers, error.words)
            errors = [
                MemberError(pointer: "/position", .outOfRange, detail: error.words)
            ]
        case .commentTooLong: self.init(.unprocessableContent, error.words)
        }
    }

    /// A member of the body names something that isn't there.
    static func unknown(_ kind: FaultKind, at pointer: String, _ detail: Words) -> Problem {
        var problem = Problem(.invalidMembers, detail)
        problem.errors = [MemberError(pointer: pointer, kind, detail: detail)]
        return problem
    }

    /// - Parameter entry: The pointer to an entry, by its index in the draft.
    init(_ wrong: [WrongPick], in entry: (Int) -> String) {
        self.init(.invalidMembers, .sentences(wrong.map(\.words)))
        errors = wrong.map { pick in
            let member = pick.reason == .unknownGame ? "gameId" : "platformId"
            return MemberError(
                pointer: "\(entry(pick.index))/\(member)", FaultKind(pick.reason),
                detail: pick.words)
        }
    }

    init(_ error: CircleError) {
        switch error {
        case .notFound, .noSuchMember: self = .notFound(error.words)
        case .invitationInvalid: self.init(.invalidInvitation, error.words)
        case .full, .tooManyOwned, .tooManyJoined, .memberOwnsTooMany, .tooManyInvitations,
            .ownerMustStay, .hasMembers, .webhookQueueFull:
            self.init(.conflict, error.words)
        case .noWebhook: self = .notFound(error.words)
        case .webhookNotAllowed: self.init(.unprocessableContent, error.words)
        }
    }

    private init(_ error: FollowError) {
        switch error {
        case .notPublic: self = .notFound(error.words)
        case .oneself, .tooMany: self.init(.conflict, error.words)
        }
    }

    private init(_ error: BlockError) {
        switch error {
        case .unknown: self = .notFound(error.words)
        case .oneself, .tooMany: self.init(.conflict, error.words)
        }
    }

    private init(_ error: HeartError) {
        switch error {
        case .gone, .changed: self = .notFound(error.words)
        case .ownComment: self.init(.conflict, error.words)
        }
    }

    private init(_ error: ModerationError) {
        switch error {
        case .notReportable, .gone: self = .notFound(error.words)
        case .notAllowed: self.init(.forbidden, error.words)
        case .nothingToDo, .noAddress: self.init(.conflict, error.words)
        }
    }

    init(_ error: AccountError) {
        switch error {
        case .wrongCredentials, .wrongRecoveryCode:
            self = .unauthorized(error.words, .wrongCredentials)
        case .passkeyRefused, .newPasskeyRefused, .passkeyUnknown:
            self = .unauthorized(error.words)
        case .gone: self = .unauthorized(error.words, error: "invalid_token")
        case .wrongPassword: self.init(.wrongPassword, error.words)
        case .signInNeeded: self.init(.recentSignInRequired, error.words)
        case .firstPasswordNeedsBrowser: self.init(.passwordNotSet, error.words)
        case .disabled: self.init(.accountDisabled, error.words)
        case .suspended: self.init(.accountSuspended, error.words)
        case .signUpClosed: self.init(.signUpClosed, error.words)
        case .noInvitations: self.init(.forbidden, error.words)
        case .invitationNeeded: self.init(.invitationRequired, error.words)
        case .invitationInvalid: self.init(.invalidInvitation, error.words)
        case .noLocalAccounts: self.init(.noLocalAccounts, error.words)
        case .noMail: self.init(.noMail, error.words)
        case .resetLinkInvalid, .mailLinkInvalid: self.init(.forbidden, error.words)
        case .busy: self = .unavailable(error.words)
        case .usernameTaken: self.init(.usernameTaken, error.words)
        case .identityTaken, .tooManyIdentities, .tooManyTokens, .tooManyApps,
            .tooManyInvitations, .passkeyKnown, .tooManyPasskeys, .lastIdentity, .changedMeanwhile:
            self.init(.conflict, error.words)
        case .usernameReserved: self.init(.unprocessableContent, error.words)
        }
    }

    init(_ error: OpenIDError, logger: Logger) {
        // A refused code is the fault of the browser that sent it, and not worth a warning.
        logger.log(
            level: error.code == .refused && !error.isOfClient ? .info : .warning,
            "sign-in: \(error.debugDescription)")
        switch error.code {
        case .unavailable: self = .unavailable(error.words, retryAfter: 5)
        case .refused:
            self.init(.badRequest, error.words)
        case .badResponse: self.init(.badGateway, error.words)
        }
    }

    private init(_ error: PostgresError, logger: Logger) {
        if error.lacksResources {
            // What PostgreSQL says differs each time: it names files.
            logger.error(
                "PostgreSQL has no room (\(error.sqlState ?? "")): is its disk full?",
                metadata: ["detail": "\(error.debugDescription)"])
            self = .unavailable(error.words)
        } else if error.isTransient {
            // There is no warning for each request: the pool logs once that PostgreSQL is
            // unavailable.
            logger.log(
                level: error.code == .server ? .warning : .debug,
                "database: \(error.debugDescription)")
            self = .unavailable(error.words)
        } else if error.code == .outcomeUnknown {
            logger.warning("database: \(error.debugDescription)")
            self.init(
                .unavailable,
                .english(
                    error.words.string(in: .en)
                        + " A request with an Idempotency-Key can be repeated as it is."
                ).orElsewhere(error.words))
        } else if error.code == .closed {
            logger.warning("database: \(error.debugDescription)")
            self.init(.unavailable, error.words)
        } else {
            logger.error("database: \(error.debugDescription)")
            self.init(.internalServerError, .somethingLogged)
        }
    }

    init(_ error: ConnectionError) {
        switch error {
        case .badRequest(let error):
            self.init(ProblemKind(error.status), .english(error.description))
        case .inClearText: self.init(.badRequest, .english(error.description))
        case .requestTimeout: self.init(.requestTimeout, .english(error.description))
        case .tooManyConnections, .overloaded:
            self = .unavailable(.english(error.description))
        case .tooManyConnectionsOfOne:
            self = Problem(.tooManyRequests, .english(error.description))
            headerFields[.retryAfter] = "10"
        }
    }
}

extension PostgresError {
    /// The error for people who needn't know what a database is. The log says it in technical words.
    fileprivate var words: Words {
        if lacksResources { return .noRoom }
        return switch code {
        case .queueFull, .acquisitionTimeout: .tooManyPeople
        case .outcomeUnknown: .connectionLost
        default: .dataUnreachable
        }
    }
}
