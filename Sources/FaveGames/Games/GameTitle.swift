package import Languages

/// What a game is called: its main name, and its names in other languages.
public struct GameTitle: Hashable, Sendable {
    /// IGDB's name, which the API, files, logs and the order of rankings use.
    public let main: String
    /// The names in other languages, as UTF-8: each on a line of its own, after the language's tag and "=".
    ///
    /// Most readers see main names only. So these are bytes, which cost less to read than strings, and are
    /// taken apart only when a name is looked for.
    public let localized: [UInt8]

    /// - Parameter localized: As of the property.
    public init(_ main: String, localized: [UInt8] = []) {
        self.main = main
        self.localized = localized
    }

    /// - Parameter names: Further names. Of several in a language, the first is taken.
    package init(_ main: String, names: [GameName]) {
        var languages: [Language] = []
        var localized = ""
        for name in names where name.name != main {
            guard let language = name.language, language != .en, !languages.contains(language)
            else { continue }
            languages.append(language)
            localized += "\(localized.isEmpty ? "" : "\n")\(language.tag)=\(name.name)"
        }
        self.init(main, localized: Array(localized.utf8))
    }
}

extension GameTitle {
    /// The name in a language, by the language's tag.
    package struct Translation: Sendable {
        package let language: String
        package let name: String
    }

    private var lines: [ArraySlice<UInt8>] { localized.split(separator: UInt8(ascii: "\n")) }

    /// The names in other languages.
    package var translations: [Translation] {
        lines.map { line in
            let tag = line.prefix { $0 != UInt8(ascii: "=") }
            return Translation(
                language: String(decoding: tag, as: UTF8.self),
                name: String(decoding: line.dropFirst(tag.count + 1), as: UTF8.self))
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
        let start = Array("\(language.tag)=".utf8)
        return lines.first { $0.starts(with: start) }
            .map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) } ?? main
    }
}
