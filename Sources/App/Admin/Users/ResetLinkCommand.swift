import Actions
import ArgumentParser
import FaveGames
import Foundation
import Identity
import Storage

struct ResetLinkCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-link",
        abstract: "Make a link for setting a user's new password.",
        discussion: """
            The link is valid for an hour and works once. A new link, or a new password, makes earlier \
            links invalid. Send it to its owner only: anyone who opens it can take over the account.
            """)

    @OptionGroup var user: UserArgument

    @OptionGroup var site: SiteOption
    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let username: String
        let link: String

        var description: String {
            "For @\(username), valid for an hour and once:\n\(link)"
        }
    }

    func perform(_ store: Store) async throws -> Report {
        try SettingsReader().requireLocalAccounts()
        let address = try site.address()
        let found = try await user.find(store)
        guard !found.isDisabled else {
            throw OperatorError(
                "\(found.username) is disabled. To enable the account: fave-admin users enable")
        }
        let token = try await OperatorActions(store).makeResetLink(of: found)
        return Report(
            username: found.username, link: "\(address)/sign-in/reset?token=\(token.text)")
    }
}
