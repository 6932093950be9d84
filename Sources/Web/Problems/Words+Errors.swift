import Actions
import Attempts
import CSV
import Endpoints
import FaveGames
import HTTPTypes
package import Identity
import Imports
package import Languages
import Views
import WebAuthn

// What errors of other modules are called. Pages say it in their language, the API and fave-admin in English.

extension Words {
    /// - Returns: `nil` unless the error says why something that someone wanted was refused.
    package init?(refusal error: any Error) {
        guard let problem = Problem(refusal: error) else { return nil }
        self = problem.detail
    }
}

extension ListError {
    var words: Words {
        switch self {
        case .tooManyEntries: .listFull
        case .duplicateGame(let game, let platform): .duplicateGame(game, platform)
        case .wrongPicks(let picks): .sentences(picks.map(\.words))
        case .positionOutOfRange(let position, let allowed):
            .positionOutOfRange(position, allowed.lowerBound, allowed.upperBound)
        case .commentTooLong(let characters): .commentTooLong(by: characters - Comment.limit)
        case .noSuchEntry: .noSuchEntry
        case .changedMeanwhile: .listChanged
        }
    }
}

extension WrongPick {
    var words: Words {
        switch reason {
        case .unknownGame: .unknownGame(pick.game)
        case .unknownPlatform: .unknownPlatform(pick.platform)
        case .notOnPlatform: .gameNotOnPlatform(pick.game, pick.platform)
        }
    }
}

extension Tags.Fault {
    var words: Words {
        switch self {
        case .tooMany: .tooManyTags
        case .notATag(let text): .notATag(String(text.prefix(40)))
        }
    }
}

extension SnapshotError {
    var words: Words {
        switch self {
        case .empty: .nothingToSnapshot
        case .tooMany: .tooManySnapshots
        }
    }
}

extension RefusedText {
    var words: Words { .notAllowedHere(item) }

    /// The message to show beside one of the texts; `nil` if nothing in it is blocked.
    func words(of text: String) -> Words? { item(in: text).map { .notAllowedHere($0) } }
}

extension TooManyAttempts {
    var words: Words {
        retryAfter < 90
            ? .tooManyAttempts(retryAfter: max(1, retryAfter))
            : .tooManyAttempts(retryAfterMinutes: (retryAfter + 59) / 60)
    }
}

extension CircleError {
    var words: Words {
        switch self {
        case .notFound: .noSuchCircle
        case .noSuchMember: .noSuchMember
        case .invitationInvalid: .circleInvitationInvalid
        case .full: .circleFull
        case .tooManyOwned: .tooManyCirclesOwned
        case .tooManyJoined: .tooManyCirclesJoined
        case .memberOwnsTooMany: .memberOwnsTooMany
        case .tooManyInvitations: .tooManyCircleInvitations
        case .hasMembers: .circleHasMembers
        case .noWebhook: .noWebhook
        case .webhookNotAllowed: .webhookNotAllowed
        case .webhookQueueFull: .webhookQueueFull
        case .ownerMustStay: .ownerMustStay
        }
    }
}

extension FollowError {
    var words: Words {
        switch self {
        case .oneself: .cannotFollowOneself
        case .tooMany: .tooManyFollowed
        case .notPublic(let username): .noPublicList(username.description)
        }
    }
}

extension BlockError {
    var words: Words {
        switch self {
        case .oneself: .cannotBlockOneself
        case .tooMany: .tooManyBlocked
        case .unknown(let username): .noSuchUser(username.description)
        }
    }
}

extension HeartError {
    var words: Words {
        switch self {
        case .gone, .changed: .noSuchReason
        case .ownComment: .ownReason
        }
    }
}

extension ModerationError {
    var words: Words {
        switch self {
        case .notReportable: .notReportable
        case .gone: .caseGone
        case .notAllowed: .caseNotYours
        case .noAddress: .reporterHasNoAddress
        case .nothingToDo: .nothingToDo
        }
    }
}

extension CSVError {
    var words: Words {
        switch reason {
        case .empty: .fileEmpty
        case .workbook: .fileIsWorkbook
        case .unknownEncoding: .fileNotUTF8
        case .notUTF8: .lineNotUTF8(line)
        case .hasNUL: .lineHasNUL(line)
        case .unclosedQuote: .unclosedQuote(line)
        case .textAfterQuote: .textAfterQuote(line)
        case .tooManyColumns(let limit): .tooManyColumns(line, limit)
        case .fieldTooLong(let limit): .fieldTooLong(line, limit)
        case .recordTooLong(let limit): .rowTooLong(line, limit)
        case .tooManyRecords(let limit): .tooManyRows(line, limit)
        }
    }
}

extension ImportFault {
    var words: Words {
        switch self {
        case .noNameColumn(let headings):
            let shown = Words.list(
                headings.prefix(8).map { .quoted(String(OneLine.clean($0).prefix(30))) })
            return .noNameColumn(headings.count > 8 ? .andOthers(shown) : shown)
        case .noRows: return .noRows
        }
    }
}

extension NewPassword.Weakness {
    package var words: Words {
        switch self {
        case .tooShort: .passwordTooShort(NewPassword.lengths.lowerBound)
        case .tooLong: .passwordTooLong(NewPassword.lengths.upperBound)
        case .sameAsUsername: .passwordIsUsername
        case .common: .passwordCommon
        }
    }
}

extension OpenIDError {
    var words: Words {
        switch code {
        case .unavailable: .providerUnavailable
        case .refused: .providerRefused
        case .badResponse: .providerNotTrusted
        }
    }
}

extension AccountError {
    var words: Words {
        switch self {
        case .wrongCredentials: .wrongCredentials
        case .wrongPassword: .wrongPassword
        case .wrongRecoveryCode: .wrongRecoveryCode
        case .resetLinkInvalid: .resetLinkInvalid
        case .mailLinkInvalid: .mailLinkInvalid
        case .noMail: .noMail
        case .passkeyRefused(.challengeMismatch), .newPasskeyRefused(.challengeMismatch):
            .tookTooLong
        case .passkeyRefused(let error), .newPasskeyRefused(let error):
            .passkeyRefused(error.words)
        case .passkeyUnknown: .passkeyUnknown
        case .passkeyKnown: .passkeyKnown
        case .tooManyPasskeys: .tooManyPasskeys(Accounts.passkeyLimit)
        case .gone: .thisAccountIsGone
        case .disabled: .accountDisabled
        case .suspended(let until, let reason):
            .sentences(
                [until.map { .accountSuspended(until: $0) } ?? .accountSuspended]
                    + (reason.isEmpty ? [] : [.moderatorsSay(reason)]))
        case .busy: .tooManySignIns
        case .signUpClosed: .signUpClosed
        case .invitationNeeded: .invitationNeeded
        case .invitationInvalid: .invitationInvalid
        case .noInvitations: .nobodyInvited
        case .tooManyInvitations: .tooManyInvitations(AccountPolicy.invitationLimit)
        case .noLocalAccounts: .noLocalAccounts
        case .usernameTaken(let name): .usernameTaken(name.description)
        case .usernameReserved(let name): .usernameReserved(name.description)
        case .identityTaken: .identityTaken
        case .tooManyIdentities: .tooManyIdentities
        case .tooManyTokens: .tooManyTokens(PersonalToken.limit)
        case .tooManyApps: .tooManyApps(ClientApp.limit)
        case .firstPasswordNeedsBrowser: .firstPasswordNeedsBrowser
        case .signInNeeded: .signInNeeded(Confirmation.freshness / 60)
        case .lastIdentity: .lastIdentity
        case .changedMeanwhile: .accountChanged
        }
    }
}

extension WebAuthnError {
    var words: Words {
        switch self {
        case .malformedClientData, .malformedAttestationObject, .malformedAuthenticatorData:
            .passkeyMalformed
        case .wrongCeremony: .passkeyWrongCeremony
        case .challengeMismatch: .passkeyExpired
        case .originMismatch, .crossOrigin: .passkeyOtherOrigin
        case .tokenBinding: .passkeyOtherConnection
        case .relyingPartyMismatch: .passkeyOtherSite
        case .userNotPresent: .passkeyNobodyThere
        case .userNotVerified: .passkeyNotVerified
        case .credentialMissing, .credentialIDLength, .malformedPublicKey,
            .unexpectedAttestation:
            .passkeyInvalid
        case .algorithmNotOffered: .passkeyUnusable
        case .credentialMismatch, .userHandleMismatch, .signatureInvalid: .passkeyMismatch
        case .userHandleMissing: .passkeyWithoutUser
        case .counterWentBackwards: .passkeyCopied
        }
    }
}

extension Problem {
    /// What a page says. A detail for programs is in English: pages in other languages say something more
    /// general.
    var words: Words {
        let others: Words =
            switch status {
            case .notFound, .methodNotAllowed, .notImplemented: .checkLink
            case .badRequest: .wrongAddress
            case .forbidden: .foreignForm
            case .contentTooLarge: .textTooLong
            case .tooManyRequests:
                .tooManyPages(retryAfter: headerFields[.retryAfter].flatMap { Int($0) } ?? 1)
            case .serviceUnavailable, .requestTimeout: .serverBusy
            default: status.kind == .serverError ? .somethingLogged : .wrongForm
            }
        return detail.orElsewhere(others)
    }
}
