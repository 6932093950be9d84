/// Replaces a missing picture: letters on one of a few colours.
public struct Placeholder: Hashable, Sendable {
    public static let hueCount = 8

    /// The initials of the name's first two words; empty if the name has no letters or digits.
    public let initials: String
    /// From 0 to 7.
    public let hue: Int

    public init(_ game: Game) { self.init(game.name, number: game.id) }

    /// The hue of a game's placeholder.
    public static func hue(_ game: Game) -> Int { hue(game.id) }

    private static func hue(_ number: Int) -> Int { number % hueCount }

    public init(username: String, displayName: String) {
        // Any number will do, as long as it is always the same for a username.
        self.init(
            displayName,
            number: username.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF })
    }

    private init(_ name: String, number: Int) {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        initials = words.prefix(2).compactMap { $0.first.map { String($0).uppercased() } }.joined()
        hue = Self.hue(number)
    }
}
