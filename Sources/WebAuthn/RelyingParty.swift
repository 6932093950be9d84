/// The site that credentials are for.
public struct RelyingParty: Hashable, Sendable {
    /// A domain, such as "fave.example". A credential can be used only with the id that it was
    /// created for.
    public let id: String
    /// The name that authenticators may show to people.
    public let name: String
    /// Where our pages are, such as "https://fave.example", written as browsers do: in lower case,
    /// without a default port, and without a slash at the end. Compared byte by byte.
    public let origins: [String]

    public init(id: String, name: String, origins: [String]) {
        self.id = id
        self.name = name
        self.origins = origins
    }
}
