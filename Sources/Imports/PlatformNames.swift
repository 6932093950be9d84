public import FaveGames

/// The platforms by all their names in files from elsewhere.
public struct PlatformNames: Sendable {
    private var idsByName: [String: Int] = [:]
    private let known: Set<Int>

    /// - Parameter platforms: All platforms.
    public init(_ platforms: [Platform]) {
        known = Set(platforms.map(\.id))
        // A name takes precedence over another platform's abbreviation.
        for names in [\Platform.name, \.slug].map({ path in
            platforms.map { ($0[keyPath: path], $0.id) }
        })
            + [platforms.compactMap { platform in platform.abbreviation.map { ($0, platform.id) } }]
        {
            for (name, id) in names { add(name, id) }
        }
        for (name, id) in Self.others where known.contains(id) { add(name, id) }
    }

    /// Common names that are missing from IGDB's names and abbreviations.
    private static let others = [
        ("Windows", 6), ("PC Windows", 6), ("Microsoft Windows", 6), ("Steam", 6),
        ("Macintosh", 14),
        ("PS", 7), ("PSX", 7), ("Genesis", 29), ("Mega Drive", 29), ("NDS", 20), ("Switch", 130),
        ("NSW", 130), ("Xbox Series X", 169), ("Xbox Series S", 169), ("GameCube", 21), ("GC", 21),
    ]

    private mutating func add(_ name: String, _ id: Int) {
        let name = Self.plain(name)
        if !name.isEmpty, idsByName[name] == nil { idsByName[name] = id }
    }

    func isKnown(_ id: Int) -> Bool { known.contains(id) }

    /// The platforms with these names, each once. Unknown ones are left out.
    func ids(_ names: [String]) -> [Int] {
        var ids: [Int] = []
        for name in names {
            if let id = idsByName[Self.plain(name)], !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    private static func plain(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.lowercased().unicodeScalars.prefix(100).filter {
                    $0.properties.isAlphabetic || $0.properties.numericType != nil
                }))
    }
}
