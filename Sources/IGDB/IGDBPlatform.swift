import JSON

/// A platform as IGDB describes it, with only the fields that we ask for.
public struct IGDBPlatform: Hashable, Sendable {
    public let id: Int
    public let slug: String
    public let name: String
    public let abbreviation: String?
    public let generation: Int?
    public let family: String?

    static let fields = ["slug", "name", "abbreviation", "generation", "platform_family.name"]

    /// - Returns: `nil` if the value lacks a field that we need.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.integer, (1...Int(Int32.max)).contains(id),
            let slug = value["slug"]?.text, let name = value["name"]?.text, !name.isEmpty
        else { return nil }
        self.id = id
        self.slug = slug
        self.name = name
        abbreviation = value["abbreviation"]?.text
        generation = value["generation"]?.integer
        family = value["platform_family"]?["name"]?.text
    }
}
