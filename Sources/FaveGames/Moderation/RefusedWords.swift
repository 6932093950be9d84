import Foundation

/// Words and addresses that an operator doesn't want in comments, names and descriptions.
///
/// Upper and lower case, accents and other marks, and full-width letters make no difference. A word is
/// found as a whole word, and a phrase as whole words one after the other. An item with a dot is a
/// domain: it is found with everything below it, so "example.com" blocks "www.example.com", but not
/// "myexample.com".
public struct RefusedWords: Sendable {
    /// The largest number of items.
    public static let limit = 10_000
    /// The longest item, in bytes of UTF-8. Longer ones are a list whose separators are missing.
    public static let itemLimit = 500

    /// The phrases by their words; a word is a phrase of one.
    private var phrases = Continuations()
    private var domains: Set<String> = []
    /// The number of items.
    public private(set) var count = 0

    /// The possible next words of the phrases that begin with the words that led here.
    private struct Continuations {
        var isEnd = false
        var next: [String: Continuations] = [:]

        mutating func insert(_ words: ArraySlice<String>) {
            guard let first = words.first else { return isEnd = true }
            next[first, default: Continuations()].insert(words.dropFirst())
        }

        /// How many of the words are a phrase that begins with the first one; the shortest if there are
        /// several.
        func length(of words: ArraySlice<String>) -> Int? {
            var here = self
            for (count, word) in words.enumerated() {
                if here.isEnd { return count }
                guard let next = here.next[word] else { return nil }
                here = next
            }
            return here.isEnd ? words.count : nil
        }
    }

    /// A list that blocks nothing.
    public init() { self.init([]) }

    public init(_ items: [String]) {
        for item in items.map(Self.fold) {
            if item.contains("."), !item.contains(" ") {
                let domain = Self.host(of: item)
                guard !domain.isEmpty else { continue }
                domains.insert(domain)
                count += 1
            } else if case let words = Self.words(of: item), !words.isEmpty {
                phrases.insert(words[...])
                count += 1
            }
        }
    }

    /// Reads items that are separated by commas or line breaks.
    ///
    /// - Returns: `nil` if there are more than `limit`, or one is longer than `itemLimit`.
    public init?(parsing text: String) {
        let items = text.split { $0 == "," || $0.isNewline }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard items.count <= Self.limit, items.allSatisfy({ $0.utf8.count <= Self.itemLimit })
        else { return nil }
        self.init(items)
    }

    /// Checks texts that someone wants to store.
    ///
    /// - Parameter former: The texts to be replaced. Text that was written before an item was
    ///   blocked must not prevent changes to the rest.
    public func check(
        _ texts: [String], replacing former: [String] = []
    ) throws(RefusedText) {
        var blocked: [(text: String, item: String)] = []
        for text in texts where !former.contains(text) {
            if let item = first(in: text) { blocked.append((text, item)) }
        }
        if let first = blocked.first {
            throw RefusedText(
                item: first.item, items: Dictionary(blocked) { first, _ in first })
        }
    }

    /// The first item that is found in a text; `nil` if there is none. It takes no longer for many items
    /// than for few.
    public func first(in text: String) -> String? {
        guard !phrases.next.isEmpty || !domains.isEmpty else { return nil }
        let folded = Self.fold(text)
        let words = Self.words(of: folded)
        for start in words.indices {
            if let length = phrases.length(of: words[start...]) {
                return words[start..<start + length].joined(separator: " ")
            }
        }
        return domains.isEmpty ? nil : domain(in: folded)
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
        var plain = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            // Browsers accept an ideographic full stop between the labels of a domain (UTS 46).
            case _ where scalar == "\u{3002}": plain.append(".")
            case _ where scalar.properties.isDefaultIgnorableCodePoint: continue
            default: plain.append(scalar)
            }
        }
        // Capitals first: of ß and SS, or of the two small sigmas, only those are the same.
        return String(plain).uppercased().lowercased()
    }

    /// The domain of an item that may be written as an address, or as a pattern: https://example.com/path,
    /// *.example.com.
    private static func host(of item: String) -> String {
        let address = item.split(separator: "://", maxSplits: 1).last ?? ""
        return address.prefix { $0 != "/" }.trimmingCharacters(in: ["*", "."])
    }

    /// Letters and digits; an underscore or a hyphen ends a word, as in usernames.
    private static func words(of folded: String) -> [String] {
        folded.split { !($0.isLetter || $0.isNumber) }.map(String.init)
    }
}

/// A text contains something that the operator blocks.
public struct RefusedText: Error, Hashable, Sendable {
    /// The first item that was found.
    public let item: String
    /// The blocked item of each text that contains one.
    private let items: [String: String]

    fileprivate init(item: String, items: [String: String]) {
        self.item = item
        self.items = items
    }

    /// The blocked item of one of the texts; `nil` if nothing in it is blocked.
    public func item(in text: String) -> String? { items[text] }
}
