/// A sentence for translators, as a template has it: words with values and inline elements in them.
struct Message: Equatable {
    enum Part: Equatable {
        /// As in the HTML's source, with single spaces.
        case text(String)
        /// The name of a `{{ value }}`.
        case value(String)
        /// The name of an inline element, with a number if an earlier one of the message has it, too.
        case open(String)
        case close(String)
        /// An element without an end tag, such as `<br>`.
        case void(String)
    }

    /// The file that the message is from, without its folder: the context of a catalogue.
    let context: String
    /// The sentence for a count of one, and the other one; or the only one.
    let forms: [[Part]]
    /// The name of the value that decides between the forms.
    var count: String?
    /// Where it begins in the file.
    let line: Int

    var isPlural: Bool { forms.count == 2 }

    /// The English sentence, by which catalogues know the message.
    var id: String { Self.text(forms[0]) }
    var pluralID: String? { isPlural ? Self.text(forms[1]) : nil }

    /// A sentence as catalogues write it.
    static func text(_ parts: [Part]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let name): "{\(name)}"
            case .open(let name), .void(let name): "<\(name)>"
            case .close(let name): "</\(name)>"
            }
        }.joined()
    }

    /// Reads a sentence of a catalogue.
    ///
    /// - Throws: `Fault` at what is neither text, nor a value, nor a tag.
    static func parts(of text: String) throws(Fault) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let first = rest.first {
            if let match = rest.prefixMatch(of: /\{([A-Za-z][A-Za-z0-9]*)\}/) {
                parts.append(.value(String(match.1)))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /<(\/?)([a-z]+[0-9]*)>/) {
                let name = String(match.2)
                let isVoid = InlineElements.isVoid(name.trimmingDigits)
                parts.append(
                    !match.1.isEmpty ? .close(name) : isVoid ? .void(name) : .open(name))
                rest = rest[match.range.upperBound...]
            } else {
                guard !"{}<>".contains(first) else {
                    throw Fault(
                        "\"\(first)\" begins neither a value such as {name} nor a tag such as <b>")
                }
                if first == "&",
                    rest.prefixMatch(of: /&(#[0-9]+|#x[0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);/) == nil
                {
                    throw Fault("an ampersand is written &amp;")
                }
                let end = rest.dropFirst().firstIndex { "{}<>&".contains($0) } ?? rest.endIndex
                if case .text(let before) = parts.last {
                    parts[parts.count - 1] = .text(before + rest[..<end])
                } else {
                    parts.append(.text(String(rest[..<end])))
                }
                rest = rest[end...]
            }
        }
        return parts
    }

    /// Why a translation can't be used.
    struct Fault: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    /// - Parameters:
    ///   - translation: A form of the message in another language.
    ///   - isForOne: Whether the form is for a single count, such as "one place left", and may leave out
    ///     that, and what English leaves out.
    /// - Throws: `Fault` if it has other values or elements than the message.
    func check(_ translation: [Part], isForOne: Bool = false) throws(Fault) {
        let wanted = forms[forms.count - 1]
        let optional =
            isForOne
            ? Set(Self.values(wanted)).subtracting(Self.values(forms[0])).union([count ?? ""]) : []
        let values = Self.values(translation)
        if let extra = values.first(where: { !Self.values(wanted).contains($0) }) {
            throw Fault("there is no {\(extra)} in English")
        }
        if let twice = values.first(where: { value in values.count { $0 == value } > 1 }) {
            throw Fault("{\(twice)} is there twice")
        }
        if let missing = Self.values(wanted).first(where: {
            !values.contains($0) && !optional.contains($0)
        }) {
            throw Fault("{\(missing)} is missing")
        }
        let (elements, english) = (try Self.elements(translation), try Self.elements(wanted))
        guard elements == english else {
            let odd = Set(elements.map(\.key)).symmetricDifference(english.map(\.key)).sorted()
                .first
            throw Fault(
                odd.map { "<\($0)> is \(english[$0] == nil ? "not in English" : "missing")" }
                    ?? "the elements are in other elements than in English")
        }
    }

    /// - Throws: `TemplateError` if the sentence for one and the other one have not the same values and
    ///   elements, but for the count.
    func checkForms() throws(TemplateError) {
        guard isPlural else { return }
        do throws(Fault) {
            try check(forms[0], isForOne: true)
        } catch {
            throw TemplateError(
                line: line, column: 1,
                message: "The sentence for one isn’t like the other one: \(error.message)")
        }
    }

    private static func values(_ parts: [Part]) -> [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// The name of each element, and those of the elements around it.
    private static func elements(_ parts: [Part]) throws(Fault) -> [String: [String]] {
        var elements: [String: [String]] = [:]
        var open: [String] = []
        for part in parts {
            switch part {
            case .text, .value: break
            case .open(let name), .void(let name):
                guard elements.updateValue(open, forKey: name) == nil else {
                    throw Fault("<\(name)> is there twice")
                }
                if case .open = part { open.append(name) }
            case .close(let name):
                guard open.popLast() == name else { throw Fault("</\(name)> ends nothing") }
            }
        }
        if let name = open.last { throw Fault("<\(name)> has no end") }
        return elements
    }
}

extension String {
    fileprivate var trimmingDigits: String { String(prefix { !$0.isNumber }) }
}

/// The elements that a sentence can have in it.
enum InlineElements {
    static func contains(_ name: String) -> Bool { names.contains(name) }
    static func isVoid(_ name: String) -> Bool { void.contains(name) }

    private static let names: Set = [
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "em", "i", "ins", "kbd", "mark", "q",
        "s", "small", "span", "strong", "sub", "sup", "time", "u", "var",
    ]

    private static let void: Set = ["br", "img", "input", "wbr"]
}
