import Foundation

/// Words and addresses that an operator doesn't want in comments, names and descriptions.
///
/// Upper and lower case, accents and full-width letters make no difference. A word is found as a whole
/// word, and a phrase as whole words one after the other. An item with a dot is a domain: it is found
/// with everything below it, so "example.com" blocks "www.example.com", but not "myexample.com".
public struct BlockList: Sendable {
    /// The largest number of items.
    public static let limit = 10_000

    private let words: Set<String>
    /// Each with a space before and after every word.
    private let phrases: [String]
    private let domains: Set<String>

    /// A list that blocks nothing.
    public init() { self.init([]) }

    public init(_ items: [String]) {
        var words: Set<String> = []
        var phrases: [String] = []
        var domains: Set<String> = []
        for item in items.map(Self.fold) {
            if item.contains("."), !item.contains(" ") {
                domains.insert(item.trimmingCharacters(in: ["."]))
                continue
            }
            let parts = Self.words(of: item)
            if parts.count == 1 { words.insert(parts[0]) }
            if parts.count > 1 { phrases.append(" " + parts.joined(separator: " ") + " ") }
        }
        self.words = words
        self.phrases = phrases
        self.domains = domains
    }

    /// Reads items that are separated by commas or line breaks.
    ///
    /// - Returns: `nil` if there are more than `limit`.
    public init?(parsing text: String) {
        let items = text.split { $0 == "," || $0.isNewline }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard items.count <= Self.limit else { return nil }
        self.init(items)
    }

    /// The first item that is found in a text; `nil` if there is none.
    public func first(in text: String) -> String? {
        guard !words.isEmpty || !phrases.isEmpty || !domains.isEmpty else { return nil }
        let folded = Self.fold(text)
        let found = Self.words(of: folded)
        if let word = found.first(where: words.contains) { return word }
        if !phrases.isEmpty {
            let line = " " + found.joined(separator: " ") + " "
            if let phrase = phrases.first(where: line.contains) {
                return phrase.trimmingCharacters(in: .whitespaces)
            }
        }
        return domains.isEmpty ? nil : domain(in: folded)
    }

    /// What to tell someone whose text has a blocked item.
    public static func description(of found: String) -> String {
        "“\(found)” isn’t allowed on this site."
    }

    private func domain(in folded: String) -> String? {
        let names = folded.split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        for name in names where name.contains(".") {
            var rest = name.trimmingCharacters(in: ["."])[...]
            while true {
                if domains.contains(String(rest)) { return String(rest) }
                guard let dot = rest.firstIndex(of: ".") else { break }
                rest = rest[rest.index(after: dot)...]
            }
        }
        return nil
    }

    private static func fold(_ text: String) -> String {
        let plain = text.decomposedStringWithCompatibilityMapping.unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint
                && $0.properties.generalCategory != .nonspacingMark
        }
        return String(String.UnicodeScalarView(plain)).lowercased()
    }

    /// Letters and digits; an underscore or a hyphen ends a word, as in usernames.
    private static func words(of folded: String) -> [String] {
        folded.split { !($0.isLetter || $0.isNumber) }.map(String.init)
    }
}
