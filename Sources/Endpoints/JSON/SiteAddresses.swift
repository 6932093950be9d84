/// The addresses of a site that its responses name. A representation is always written for one site.
///
/// A class, since each member of an object gets it, and one reference is quick to pass.
public final class SiteAddresses: Sendable {
    /// The site's public address, without a trailing slash.
    public let publicURL: String
    /// The beginning of the addresses of pictures, which may be on another host.
    public let pictures: String

    package init(publicURL: String, pictures: String) {
        self.publicURL = publicURL
        self.pictures = pictures
    }
}
