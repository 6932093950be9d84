import Endpoints
import FaveGames
import HTTPTypes
import Identity
import Storage
import Views

/// Getting back in without the password, and the email address that helps with it.
enum RecoveryAPI {
    static let routes = [
        Route(
            .post, "/api/v1/recovery",
            .api(
                "recover", .sessions, "Set a new password with a recovery code",
                "Ends all sessions, and removes every other way in: personal tokens, passkeys, "
                    + "connected sign-ins, the email address and all recovery codes. Sign in next."
            ),
            takes: .json(Recovery.self), returns: .noContent,
            fails: [.weakPassword] + ProblemKind.ofSigningIn, costs: .dear
        ) { context, recovery in
            _ = try await context.services.accounts.recover(
                recovery.username, code: recovery.code, newPassword: recovery.password,
                from: context.client.networkName, device: recovery.device)
        },

        Route(
            .post, "/api/v1/password-resets",
            .api(
                "sendReset", .sessions, "Send a link to set a new password by email",
                "The response is the same whether or not there is such an account, or an address. 403 "
                    + "if this site sends no email."),
            takes: .json(Reset.self), returns: .noContent, fails: [.noMail, .tooManyAttempts],
            costs: .dear
        ) { context, reset in
            try await context.services.accounts.sendReset(
                of: reset.account, from: context.client.networkName)
        },

        Route(
            .get, "/api/v1/me/mail-address",
            .api("getMailAddress", .me, "Get the user's email address"),
            takes: .user(.account), returns: .json(addresses, "The addresses.")
        ) { context, user in try await context.services.store.mailAddresses(userID: user.id) },

        Route(
            .put, "/api/v1/me/mail-address",
            .api(
                "setMailAddress", .me, "Add or replace the email address",
                "The address gets a link for confirming it; nothing changes before that. 403 if this "
                    + "site sends no email, or if the account has no password."),
            takes: .bearer(.session), .json(NewAddress.self), returns: .noContent,
            fails: [.noMail, .noLocalAccounts, .passwordNotSet, .conflict]
                + ProblemKind.ofConfirming, costs: .dear
        ) { context, bearer, new in
            try await context.services.accounts.addMailAddress(
                new.address, to: bearer, password: new.password, from: context.client.networkName)
        },

        Route(
            .delete, "/api/v1/me/mail-address",
            .api(
                "removeMailAddress", .me, "Remove the email address",
                "The address is notified. 403 if the account has no password."),
            takes: .bearer(.session),
            .optionalJSON(Confirmation.self, "Required if the account has a password."),
            returns: .noContent,
            fails: [.passwordNotSet, .conflict] + ProblemKind.ofConfirming, costs: .dear
        ) { context, bearer, confirmation in
            try await context.services.accounts.removeMailAddress(
                of: bearer, password: confirmation?.password ?? "", from: context.client.networkName
            )
        },
    ]

    struct Recovery: RequestBody {
        let username: String
        let code: String
        let password: String
        let device: SecretToken?

        init?(from reader: inout JSONObjectReader) {
            let username = reader.required(
                "username", .text(.text(example: "newcomer")), "The account's username.")
            let code = reader.required(
                "code", .text(.secret(.text(example: "k3m9-7x2q-4tz8-hw5n"))),
                "One of its recovery codes.")
            let password = reader.required("newPassword", .newPassword, NewPassword.description)
            device = reader.deviceSecret()
            guard let username, let code, let password else { return nil }
            self.username = username
            self.code = code
            self.password = password
        }
    }

    struct Reset: RequestBody {
        let account: String

        init?(from reader: inout JSONObjectReader) {
            let account = reader.required(
                "account",
                .parsed(
                    .text(1...MailAddress.limit, example: "newcomer"),
                    .mustBeAccount
                ) { (1...MailAddress.limit).contains($0.utf8.count) ? $0 : nil },
                "A username or an email address.")
            guard let account else { return nil }
            self.account = account
        }
    }

    struct NewAddress: RequestBody {
        let address: MailAddress
        let password: String

        init?(from reader: inout JSONObjectReader) {
            let address = reader.required(
                "address",
                .parsed(RecoveryAPI.address, .mustBeAddress(like: "jane@mail.example")) {
                    MailAddress($0)
                },
                "The address.")
            password =
                reader.optional(
                    "password", .text(.password), "Required if the account has a password.") ?? ""
            guard let address else { return nil }
            self.address = address
        }
    }

    struct Confirmation: RequestBody {
        let password: String?

        init?(from reader: inout JSONObjectReader) {
            password = reader.optional("password", .text(.password), "The account's password.")
        }
    }

    private static let address = Schema.text(format: "email", example: "jane@mail.example")

    static let addresses = ObjectRepresentation<MailAddresses>(
        "MailAddresses", "The user's email address.",
        [
            .init(
                "address", .nullable(.text(address)),
                "The confirmed address; null if there is none."
            ) { $0.verified },
            .init(
                "pending", .nullable(.text(address)), "The one that waits to be confirmed; or null."
            ) { $0.pending },
        ])
}
