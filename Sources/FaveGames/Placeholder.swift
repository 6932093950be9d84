/// Replaces a picture that does not exist: letters on one of a few colours.
public struct Placeholder: Hashable, Sendable {
    public static let hueCount = 8

    /// One or two letters of the name; empty if there are none in it.
    public let initials: String
    /// From 0 to 7.
    public let hue: Int

    public init(_ game: Game) { self.init(game.name, number: game.id) }

    /// The colour of a game, without the letters.
    public static func hue(_ game: Game) -> Int { hue(game.id) }

    private static func hue(_ number: Int) -> Int { number % hueCount }

    public init(username: String, displayName: String) {
        // Any number that is always the same for a name.
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
