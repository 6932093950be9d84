/// A sentence for translators: words of a template, with values and inline elements in them.
struct Message: Equatable {
    enum Part: Equatable {
        /// As in the HTML's source, with single spaces.
        case text(String)
        /// The name of a `{{ value }}`.
        case value(String)
        /// The name of an inline element, with a number if the message contains an earlier one of that name.
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
    let place: Place
    /// Where it begins in the file.
    let line: Int

    var isPlural: Bool { forms.count == 2 }

    /// The English sentence, which identifies the message in catalogues.
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

    /// Reads a sentence of a catalogue, byte by byte: a `<` can be part of a longer `Character`.
    ///
    /// - Throws: `Fault` at what is neither text, nor a value, nor a tag.
    static func parts(of text: String, in place: Place) throws(Fault) -> [Part] {
        let hidden = text.unicodeScalars.first {
            $0.properties.generalCategory == .control || $0.properties.isBidiControl
        }
        guard hidden == nil else { throw Fault("it has a control character") }
        guard place != .plain || !text.utf8.contains(UInt8(ascii: "<")) else {
            throw Fault("these words are no HTML, and can't have <")
        }
        var parts: [Part] = []
        var plain: [UInt8] = []
        var rest = text.utf8[...]
        func endText() {
            guard !plain.isEmpty else { return }
            parts.append(.text(String(decoding: plain, as: UTF8.self)))
            plain = []
        }
        while let first = rest.first {
            switch first {
            case UInt8(ascii: "{"):
                guard let name = take(&rest, to: UInt8(ascii: "}")), isName(name[...]) else {
                    throw Fault("\"{\" begins no value such as {name}")
                }
                endText()
                parts.append(.value(name))
            case UInt8(ascii: "<"):
                guard let name = take(&rest, to: UInt8(ascii: ">")),
                    isName(name.trimmingPrefix("/"))
                else { throw Fault("\"<\" begins no tag such as <b>") }
                endText()
                let element = String(name.trimmingPrefix("/"))
                let isVoid = InlineElements.isVoid(element.trimmingDigits)
                parts.append(
                    name.hasPrefix("/") ? .close(element) : isVoid ? .void(element) : .open(element)
                )
            case UInt8(ascii: "}"), UInt8(ascii: ">"):
                throw Fault("\"\(Character(Unicode.Scalar(first)))\" ends nothing")
            case UInt8(ascii: "&") where place != .plain && !beginsReference(rest):
                throw Fault("an ampersand is written &amp;")
            case UInt8(ascii: "\"") where place == .attribute:
                plain += "&quot;".utf8
                rest.removeFirst()
            default:
                plain.append(first)
                rest.removeFirst()
            }
        }
        endText()
        return parts
    }

    /// Where a message is.
    enum Place {
        case text
        /// Text in an element whose content can't have `<span>`.
        case textOnly
        /// Between double quotes.
        case attribute
        /// Not in HTML.
        case plain
    }

    /// Takes the text between the next byte and another one.
    private static func take(_ rest: inout Substring.UTF8View, to end: UInt8) -> String? {
        guard let index = rest.firstIndex(of: end) else { return nil }
        defer { rest = rest[rest.index(after: index)...] }
        return String(Substring(rest[rest.index(after: rest.startIndex)..<index]))
    }

    private static func isName(_ name: Substring) -> Bool {
        name.utf8.first.map(isLetter) == true && name.utf8.allSatisfy(isLetterOrDigit)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func beginsReference(_ rest: Substring.UTF8View) -> Bool {
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return false }
        let name = rest[rest.index(after: rest.startIndex)..<end]
        return !name.isEmpty
            && (name.first == UInt8(ascii: "#") ? name.dropFirst() : name).allSatisfy(
                isLetterOrDigit)
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
        // A value that may be left out is in no element then.
        let left = Set(optional.subtracting(values).map { "{\($0)}" })
        let english = try Self.elements(wanted).filter { !left.contains($0.key) }
        let elements = try Self.elements(translation)
        guard elements == english else {
            let odd = Set(elements.map(\.key)).symmetricDifference(english.map(\.key)).sorted()
                .first
            throw Fault(
                odd.map { "<\($0)> is \(english[$0] == nil ? "not in English" : "missing")" }
                    ?? "values or elements are in other elements than in English")
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

    /// The name of each element, and of each value in braces, with those of the elements around it.
    private static func elements(_ parts: [Part]) throws(Fault) -> [String: [String]] {
        var elements: [String: [String]] = [:]
        var open: [String] = []
        for part in parts {
            switch part {
            case .text: break
            case .value(let name): elements["{\(name)}"] = open
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
