import ArgumentParser
import Endpoints
import Web

/// The option that says where the site is, for commands that print links.
struct SiteOption: ParsableArguments {
    @Option(
        help: "The site's address. The default is the server's: PUBLIC_URL, or else HOST and PORT.")
    var site: String?

    /// The address, as browsers write it: without a slash at its end.
    func address() throws -> String {
        guard let site else { return try ServerSettings.web(SettingsReader()).publicURL }
        guard let origin = WebOrigin(site.hasSuffix("/") ? String(site.dropLast()) : site) else {
            throw OperatorError("--site must be an address like https://fave.example.")
        }
        return origin.description
    }

    /// The address, and where the server says that covers are.
    func addresses() throws -> SiteAddresses {
        SiteAddresses(try address(), try ServerSettings.covers(SettingsReader()))
    }
}
