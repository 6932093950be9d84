/// The translations into one language: a PO file (gettext manual, section 10.1).
struct Catalogue {
    /// The language as a case of `Language` in Swift.
    let language: String
    let plural: PluralFormula
    private var entries: [Key: Entry] = [:]

    struct Entry {
        var context: String?
        var id: String?
        var pluralID: String?
        /// The translations, by the number of their form.
        var forms: [Int: String] = [:]
        var isFuzzy = false
        /// Where `msgid` is.
        var line = 0
        private var parts: Set<Substring> = []

        /// - Returns: Whether there is such a part.
        mutating func add(_ text: String, to part: Substring, isFirst: Bool, line: Int) -> Bool {
            guard !isFirst || parts.insert(part).inserted else { return false }
            switch part {
            case "msgctxt": context = (context ?? "") + text
            case "msgid":
                if isFirst { self.line = line }
                id = (id ?? "") + text
            case "msgid_plural": pluralID = (pluralID ?? "") + text
            case "msgstr": forms[0, default: ""] += text
            default:
                guard part.hasPrefix("msgstr["), let form = part.dropLast().last?.wholeNumberValue
                else { return false }
                forms[form, default: ""] += text
            }
            return true
        }
    }

    /// - Parameters:
    ///   - file: The file's path, for messages. Its name is the language's tag.
    ///   - context: The context of the entries to read, which takes a fraction of the time of all.
    /// - Throws: `TemplateError` at what isn't in the format.
    init(_ source: String, file: String, context: String) throws(TemplateError) {
        language = Self.caseName(Self.tag(of: file))
        let entries = try Self.entries(of: source, file: file, in: context)
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

    /// The tag that a catalogue's file is called by.
    static func tag(of file: String) -> Substring {
        file.split(separator: "/").last?.split(separator: ".").first ?? ""
    }

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
                let parts = try Message.parts(of: entry.forms[form] ?? "", in: message.place)
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

    /// Reads the header and the entries of one context, or of all if that is `nil`.
    static func entries(
        of source: String, file: String, in context: String?
    ) throws(TemplateError) -> [Entry] {
        var entries: [Entry] = []
        var entry = Entry()
        /// The latest keyword; empty between entries.
        var keyword: Substring = ""
        var isWanted = true
        func end() {
            guard !keyword.isEmpty else { return }
            if entry.id != nil { entries.append(entry) }
            (entry, keyword) = (Entry(), "")
        }
        let lines = source.trimmingPrefix("\u{FEFF}").utf8
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            // Most lines are of other contexts.
            if !isWanted, bytes.first != UInt8(ascii: "#"), !bytes.starts(with: "msgctxt".utf8),
                !(keyword != "msgctxt" && bytes.starts(with: "msgid ".utf8))
            {
                continue
            }
            let line = Substring(bytes).trimmingWhiteSpace
            if line.isEmpty { continue }
            if line.hasPrefix("#") {
                end()
                if line.hasPrefix("#,"), line.contains("fuzzy") { entry.isFuzzy = true }
                // An entry that is no longer in use.
                if line.hasPrefix("#~") { entry = Entry() }
                continue
            }
            if line.hasPrefix("msgctxt") {
                end()
                isWanted = context.map { line == "msgctxt \(quoted($0))" } ?? true
            } else if line.hasPrefix("msgid "), keyword != "msgctxt" {
                end()
                isWanted = true
            }
            if line.hasPrefix("msg") { keyword = line.prefix { !$0.isWhitespace } }
            guard isWanted else { continue }
            guard let text = string(in: line).flatMap(unescaped),
                entry.add(text, to: keyword, isFirst: line.hasPrefix("msg"), line: index + 1)
            else {
                throw TemplateError(
                    line: index + 1, column: 1, message: "This is no line of a PO file", file: file)
            }
        }
        end()
        return entries
    }

    /// The part of a line between its quotes.
    private static func string(in line: Substring) -> Substring? {
        let string = line.utf8.drop { $0 != UInt8(ascii: "\"") }
        guard string.count >= 2, string.last == UInt8(ascii: "\"") else { return nil }
        return Substring(string.dropFirst().dropLast())
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            switch (isEscaped, byte) {
            case (false, UInt8(ascii: "\\")):
                isEscaped = true
                continue
            case (false, UInt8(ascii: "\"")): return nil
            case (false, _): bytes.append(byte)
            case (true, UInt8(ascii: "n")): bytes.append(UInt8(ascii: "\n"))
            case (true, UInt8(ascii: "t")): bytes.append(UInt8(ascii: "\t"))
            case (true, UInt8(ascii: "\"")), (true, UInt8(ascii: "\\")): bytes.append(byte)
            case (true, _): return nil
            }
            isEscaped = false
        }
        return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// A string in the syntax of PO files.
    static func quoted(_ text: String) -> String {
        "\""
            + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n") + "\""
    }
}
