/// Given names and family names that belong together, and comments in the language of their people.
struct DemoCulture: Decodable, Sendable {
    /// How common its people are among the users.
    let weight: Double
    let given: [Name]
    let family: [Name]
    /// Whole comments; `nil` for English, where comments are assembled from parts.
    let comments: [String]?
    /// The separator between the names if the family name comes first.
    private let afterFamily: String?

    /// A name as it is written, and as it appears in a username: "Zoë/zoe", or "Rob" if its letters
    /// are all from a to z.
    struct Name: Decodable, Sendable {
        let text: String
        let handle: String

        init(from decoder: any Decoder) throws {
            let name = try decoder.singleValueContainer().decode(String.self)
            let parts = name.split(separator: "/").map(String.init)
            text = parts[0]
            handle = parts.count > 1 ? parts[1] : name.lowercased()
        }
    }

    /// A display name: `style`, from 0 to 1, decides between the full name and parts of it.
    func display(_ given: Name, _ family: Name, style: Double) -> String {
        if style < 0.3 {
            return given.text
        }
        if let afterFamily {
            return family.text + afterFamily + given.text
        }
        return style < 0.45
            ? "\(given.text) \(family.text.prefix(1))." : given.text + " " + family.text
    }
}
