import Encodings

/// What a site says about itself: the operator's choices, which pages, cards, feeds and mail show.
public struct SiteIdentity: Hashable, Sendable {
    public var name = Release.program
    /// One or two sentences; `nil` if the operator has given none.
    public var ownDescription: String?
    /// How people reach those who run the site, if the operator has said it.
    public var contact: ExternalAddress?
    public var rules: SiteText?
    /// The text that says who runs the site, as the law of some countries requires.
    public var imprint: SiteText?
    public var accent = Accent.standard

    public init() {}

    /// The most characters of a name, so that phones and cards have room for it.
    public static let nameLimit = 30
    /// The most characters of a description, which the card of the home page shows as a whole.
    public static let descriptionLimit = 160

    /// Whether the site has another name than the program.
    public var hasOwnName: Bool { name != Release.program }

    /// The name for the names of files: small letters and digits of ASCII, with hyphens between them.
    public var fileName: String {
        let words = name.lowercased().utf8.split { !$0.isASCIILowercase && !$0.isASCIIDigit }
        return words.isEmpty ? "list" : words.map { String(Substring($0)) }.joined(separator: "-")
    }
}
