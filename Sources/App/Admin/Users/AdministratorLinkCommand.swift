import Actions
import ArgumentParser
import Identity
import Storage

struct AdministratorLinkCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "administrator-link",
        abstract: "Make a link for becoming the first administrator.",
        discussion: """
            The link is valid for a day and works once, for someone who is signed in, and only while \
            there is no administrator. A new link makes earlier ones invalid. To name more \
            administrators, use "users promote".
            """)

    @OptionGroup var site: SiteOption
    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        /// `nil` if there is an administrator already.
        @Nullable var link: String?

        var description: String {
            link.map {
                "Sign up, then open this link to become the administrator. It works once:\n\($0)"
            }
                ?? "There is an administrator already."
        }
    }

    func perform(_ store: Store) async throws -> Report {
        guard try await !store.hasAdministrator() else { return Report(link: nil) }
        let address = try site.address()
        let token = try await OperatorActions(store).makeAdministratorLink()
        return Report(link: "\(address)/administrator?token=\(token.text)")
    }
}
