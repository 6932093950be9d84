/// A file of words for Swift: titles, notices and the like that aren't in the HTML of a template.
///
///     {% words savedList %}Saved.
///     {% words places(left: Int) %}{% plural left %}{{ left }} place left{% other %}{{ left }} places left{% end %}
///
/// Each entry begins a line and becomes a static member of `Words`. Its text is that up to the next entry,
/// without the white space around it. The text is no HTML: what is shown is escaped.
struct WordsFile {
    /// The members, as Swift.
    private(set) var swift: String
    private(set) var messages: [Message] = []

    private let file: String
    private let name: String
    private let catalogues: [Catalogue]

    /// - Parameters:
    ///   - file: The file's path, for the messages of the Swift compiler.
    ///   - name: The file's name without its extension.
    /// - Throws: `TemplateError` that says where the file, or a translation of it, is wrong.
    init(
        _ source: String, file: String, name: String, catalogues: [Catalogue] = []
    ) throws(TemplateError) {
        self.file = file
        self.name = name
        self.catalogues = catalogues
        swift = """
            // Made by view-compiler from \(name).words; edit that.

            import FaveGames
            import Foundation
            import HTTP
            import Languages

            extension Words {

            """
        let tokens = try TemplateScanner(source).tokens()
        if let first = tokens.first, !Self.isEntry(first) {
            throw TemplateError(
                line: 1, column: 1, message: "The file must begin with {% words … %}")
        }
        let starts = tokens.indices.filter { Self.isEntry(tokens[$0]) }
        for (start, end) in zip(starts, starts.dropFirst() + [tokens.count]) {
            try add(tokens[start], tokens[(start + 1)..<end])
        }
        swift += "}\n"
    }

    private static func isEntry(_ token: TemplateScanner.Token) -> Bool {
        token.kind == .statement && token.text.hasPrefix(" words ")
    }

    /// The sentences of an entry: two for a plural.
    private struct Forms {
        var runs = [Run()]
        var count: String?
        var isComplete = true
    }

    private mutating func add(
        _ head: TemplateScanner.Token, _ tokens: ArraySlice<TemplateScanner.Token>
    ) throws(TemplateError) {
        let declaration = head.text.dropFirst(" words ".count).trimmingWhiteSpace
        guard declaration.wholeMatch(of: #/[a-z][A-Za-z0-9]*(\(.+\))?/#) != nil else {
            throw TemplateError(
                line: head.line, column: head.column,
                message: "Write {% words name %} or {% words name(value: Type) %}")
        }
        var forms = Forms()
        for token in tokens { try read(token, &forms) }
        guard forms.isComplete else {
            throw TemplateError(
                line: head.line, column: head.column,
                message: "A {% plural %} needs {% other %} and {% end %}")
        }
        var sentences: [Run.Sentence] = []
        for run in forms.runs {
            do throws(Run.Fault) {
                sentences.append(try run.trimmed.whole())
            } catch {
                throw TemplateError(line: head.line, column: head.column, message: error.message)
            }
        }
        let message = Message(
            context: name, forms: sentences.map(\.parts), count: forms.count, place: .plain,
            line: head.line)
        try message.checkForms()
        messages.append(message)
        let code = try MessageCode(
            message: message, sentences: sentences,
            count: forms.count.map { "let __n = (\($0))\n" }
        ).code(catalogues)
        let isFunction = declaration.contains("(")
        swift += """
            #sourceLocation(file: \(file.debugDescription), line: \(head.line))
            package static \(isFunction ? "func" : "var") \(declaration)\(isFunction ? " ->" : ":") Words {
            Words { (__html: inout PlainText) -> Void in
            \(code.source)}
            }

            """
    }

    private func read(
        _ token: TemplateScanner.Token, _ forms: inout Forms
    ) throws(TemplateError) {
        let last = forms.runs.count - 1
        if forms.count != nil, forms.isComplete {
            let isBlank = token.kind == .literal && token.text.allSatisfy(\.isWhitespace)
            guard !isBlank else { return }
            throw TemplateError(
                line: token.line, column: token.column,
                message: "Behind a {% plural %} ends the entry")
        }
        if token.kind == .value, let string = Template.Value.words(in: token.text, isShown: true) {
            throw TemplateError(
                line: token.line, column: token.column, message: "Translators don't see \(string)")
        }
        switch token.kind {
        case .literal: for byte in token.text.utf8 { forms.runs[last].text(byte, line: token.line) }
        case .value:
            let value = Template.Value(token)
            var code = Code()
            code.swift("__html.text(\(value.swift))\n")
            forms.runs[last].value(value.name, code)
        case .statement:
            let words = token.text.split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "plural" where forms.count == nil && forms.runs[0].isBlank:
                forms.count = words.dropFirst().joined(separator: " ")
                forms.isComplete = false
                forms.runs = [Run()]
            case "other" where forms.count != nil && last == 0: forms.runs.append(Run())
            case "end" where last == 1 && !forms.isComplete: forms.isComplete = true
            default:
                throw TemplateError(
                    line: token.line, column: token.column - 2,
                    message: "An entry is one sentence, or {% plural count %}…{% other %}…{% end %}"
                )
            }
        }
    }
}
