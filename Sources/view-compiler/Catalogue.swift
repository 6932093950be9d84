/// The translations into one language: a PO file (gettext manual, section 10.1).
struct Catalogue {
    /// The language as a case of `Language` in Swift.
    let language: String
    let plural: PluralFormula
    private var entries: [Key: Entry] = [:]

    private struct Key: Hashable {
        let context: String
        let id: String
    }

    struct Entry {
        var context: String?
        var id: String?
        var pluralID: String?
        /// The translations, by the number of their form.
        var forms: [Int: String] = [:]
        var isFuzzy = false
        /// Where `msgid` is.
        var line = 0
    }

    /// - Parameter file: The file's path, for messages. Its name is the language's tag.
    /// - Throws: `TemplateError` at what isn't in the format.
    init(_ source: String, file: String) throws(TemplateError) {
        let tag = file.split(separator: "/").last?.split(separator: ".").first ?? ""
        language = Self.caseName(tag)
        let entries = try Self.entries(of: source, file: file)
        guard let header = entries.first(where: { $0.id == "" && $0.context == nil }),
            let forms = header.forms[0]?.split(separator: "\n")
                .first(where: { $0.hasPrefix("Plural-Forms:") })
        else {
            throw TemplateError(
                line: 1, column: 1, message: "The catalogue has no header with Plural-Forms",
                file: file)
        }
        do throws(Message.Fault) {
            plural = try PluralFormula(header: String(forms.dropFirst("Plural-Forms:".count)))
        } catch {
            throw TemplateError(line: header.line, column: 1, message: error.message, file: file)
        }
        for entry in entries where entry.id != "" {
            let key = Key(context: entry.context ?? "", id: entry.id ?? "")
            guard self.entries.updateValue(entry, forKey: key) == nil else {
                throw TemplateError(
                    line: entry.line, column: 1, message: "This message is there already",
                    file: file)
            }
        }
        self.file = file
    }

    private let file: String

    /// Turns "pt-BR" into "ptBR", the case of `Language`.
    static func caseName(_ tag: some StringProtocol) -> String {
        String(tag.filter { $0 != "-" && $0 != "_" })
    }

    /// The forms of a message in the language; `nil` if no one has translated it, or not since it changed.
    ///
    /// - Throws: `TemplateError` if the translation can't be used.
    func translation(of message: Message) throws(TemplateError) -> [[Message.Part]]? {
        guard let entry = entries[Key(context: message.context, id: message.id)], !entry.isFuzzy,
            entry.forms.contains(where: { !$0.value.isEmpty })
        else { return nil }
        do throws(Message.Fault) {
            guard entry.pluralID == message.pluralID else {
                throw Message.Fault("its msgid_plural is not that of the template")
            }
            let count = message.isPlural ? plural.formCount : 1
            guard entry.forms.keys.sorted() == Array(0..<count),
                entry.forms.values.allSatisfy({ !$0.isEmpty })
            else { throw Message.Fault("it needs \(count) forms") }
            return try (0..<count).map { form throws(Message.Fault) in
                let parts = try Message.parts(of: entry.forms[form] ?? "")
                try message.check(parts, isForOne: isForOne(form))
                return parts
            }
        } catch {
            throw TemplateError(
                line: entry.line, column: 1,
                message: "The translation of \"\(message.id)\" can't be used: \(error.message)",
                file: file)
        }
    }

    /// Whether a form is for a single count, such as "one place left", and so may have no number.
    private func isForOne(_ form: Int) -> Bool {
        (0...1000).filter { plural.form(for: $0) == form } == [1]
    }

    // MARK: The format

    static func entries(of source: String, file: String) throws(TemplateError) -> [Entry] {
        var entries: [Entry] = []
        var entry = Entry()
        /// What a line that only has a string continues.
        var part = ""
        func fault(_ line: Int, _ message: String) -> TemplateError {
            TemplateError(line: line, column: 1, message: message, file: file)
        }
        let lines: [Substring] =
            source.split(separator: "\n", omittingEmptySubsequences: false) + [""]
        for (index, rawLine) in lines.enumerated() {
            let number = index + 1
            let line = rawLine.trimmingSpaces
            if line.isEmpty || (line.hasPrefix("#") && entry.id != nil) {
                if entry.id != nil { entries.append(entry) }
                entry = Entry()
                part = ""
            }
            if line.isEmpty { continue }
            if line.hasPrefix("#") {
                if line.hasPrefix("#,"), line.contains("fuzzy") { entry.isFuzzy = true }
                continue
            }
            guard let match = line.wholeMatch(of: /(?:(msg[a-z_]+(?:\[[0-9]\])?)\s+)?"(.*)"/),
                let text = Self.unescaped(match.2)
            else { throw fault(number, "This is no line of a PO file") }
            if let keyword = match.1 { part = String(keyword) }
            switch part {
            case "msgctxt": entry.context = (entry.context ?? "") + text
            case "msgid":
                if match.1 != nil { entry.line = number }
                entry.id = (entry.id ?? "") + text
            case "msgid_plural": entry.pluralID = (entry.pluralID ?? "") + text
            case "msgstr": entry.forms[0, default: ""] += text
            default:
                guard part.hasPrefix("msgstr["), let form = part.dropLast().last?.wholeNumberValue
                else {
                    throw fault(number, "\"\(part)\" is no keyword of a PO file")
                }
                entry.forms[form, default: ""] += text
            }
        }
        return entries
    }

    private static func unescaped(_ text: Substring) -> String? {
        var result = ""
        var rest = text
        while let first = rest.popFirst() {
            if first == "\"" { return nil }
            guard first == "\\" else {
                result.append(first)
                continue
            }
            switch rest.popFirst() {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "\"": result.append("\"")
            case "\\": result.append("\\")
            default: return nil
            }
        }
        return result
    }

    /// A string as PO files have it.
    static func quoted(_ text: String) -> String {
        "\""
            + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n") + "\""
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
