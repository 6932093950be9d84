import ArgumentParser
import Endpoints

/// The option that says where the site is, for commands that print links.
struct SiteOption: ParsableArguments {
    @Option(help: "The site's address. The default is PUBLIC_URL.")
    var site: String?

    /// The address, as browsers write it: without a slash at its end.
    func address() throws -> String {
        guard let site = try site ?? SettingsReader().value(Settings.service.publicURL) else {
            throw OperatorError("Set PUBLIC_URL, or give the site's address with --site.")
        }
        guard self.site != nil else { return try ServerSettings.publicURL(site).description }
        guard let origin = WebOrigin(site.hasSuffix("/") ? String(site.dropLast()) : site) else {
            throw OperatorError("--site must be an address like https://fave.example.")
        }
        return origin.description
    }
}
