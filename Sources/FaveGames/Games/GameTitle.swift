package import Languages

/// What a game is called: its main name, and its names in other languages.
public struct GameTitle: Hashable, Sendable {
    /// IGDB's name, which the API, files, logs and the order of rankings use.
    public let main: String
    /// The names in other languages, each as the language's tag, "=" and the name.
    ///
    /// Most readers see main names only, so these are taken apart only when a name is looked for.
    public let localized: [String]

    /// - Parameter localized: As of the property.
    public init(_ main: String, localized: [String] = []) {
        self.main = main
        self.localized = localized
    }

    /// - Parameter names: Further names. Of several in a language, the first is taken.
    package init(_ main: String, names: [GameName]) {
        var languages: [Language] = []
        var localized: [String] = []
        for name in names where name.name != main {
            guard let language = name.language, language != .en, !languages.contains(language)
            else { continue }
            languages.append(language)
            localized.append("\(language.tag)=\(name.name)")
        }
        self.init(main, localized: localized)
    }
}

extension GameTitle {
    /// The name in a language, by the language's tag.
    package struct Translation: Sendable {
        package let language: Substring
        package let name: Substring
    }

    /// The names in other languages.
    package var translations: [Translation] {
        localized.map { text in
            // A mark at the start of a name would be one character with the "=".
            let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
            return Translation(
                language: text[..<end], name: Substring(text.utf8[end...].dropFirst()))
        }
    }
}

extension GameTitle: CustomStringConvertible {
    /// The main name.
    public var description: String { main }
}

extension GameTitle: Localized {
    package func string(in language: Language) -> String {
        guard !localized.isEmpty, language != .en else { return main }
        let start = (language.tag + "=").utf8
        return localized.first { $0.utf8.starts(with: start) }
            .map { String(Substring($0.utf8.dropFirst(start.count))) } ?? main
    }
}
