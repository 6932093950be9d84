import FaveGames

/// The platforms whose names begin with the same letter.
package struct PlatformsByLetter: Sendable {
    /// A to Z, or "0–9" for the others.
    let letter: String
    let platforms: [Platform]

    /// - Returns: In the order of the alphabet.
    package static func groups(_ platforms: [Platform]) -> [PlatformsByLetter] {
        Dictionary(grouping: platforms) { platform in
            let first = platform.name.first.map { $0.uppercased() } ?? ""
            return ("A"..."Z").contains(first) ? first : "0–9"
        }
        .map { letter, platforms in
            PlatformsByLetter(letter: letter, platforms: platforms.sorted { $0.name < $1.name })
        }
        .sorted { $0.letter < $1.letter }
    }
}
