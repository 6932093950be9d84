/// A template: HTML with `{{ value }}` and `{% statement %}`, both of them Swift.
///
/// The first line declares the function that the template becomes, which is named after the file.
/// `{% page ranking(platform: PlatformModel) %}` makes a function for other modules, which returns
/// a `View`. `{% view cover(…) %}` makes one for other templates, which writes into their HTML. So,
/// in text, `{{ cover(…) }}` always calls a view.
///
/// The statements are `if`, `if let`, `else`, `else if`, `for`, `let`, `end`, and `plural`: one
/// sentence for a count of one and, behind `other`, one for all other counts. Each value is
/// escaped for its place in the HTML, which `HTMLContext` determines. A value in a place that is not
/// safe is rejected.
///
/// The words between two tags of blocks are a message, which catalogues translate, and so are those of
/// attributes that people read. A value of a message is called by the last name in it, or by the name
/// before a colon: `{{ games: list.entries.count }}`.
struct Template {
    /// The function, as Swift.
    private(set) var swift = ""
    /// What translators translate, in the order of the template.
    private(set) var messages: [Message] = []

    private let file: String
    private let name: String
    private let catalogues: [Catalogue]
    private var isPage = false
    private var context = HTMLContext()
    private var sentences = Sentences()
    /// That of the current attribute.
    private var words = Sentences()
    private var blocks: [Block] = []

    /// The compiled part of the template.
    private var code = Code()
    /// The compiled part of the current tag, or of an element that can contain only text.
    private var tag = Code()
    /// The text between tags, and that of an attribute, since the last block or statement.
    private var text = Run()
    private var attribute = Run()
    private var plural: OpenPlural?
    /// Whether the text is code, in `<pre>`, and not for translators.
    private var isCode = false
    /// Whether the text is where no `<span>` can be.
    private var isTextOnly = false

    /// A plural whose second sentence isn't complete yet.
    private struct OpenPlural {
        struct Count {
            /// What translators know the count by.
            let name: String?
            let code: String
        }

        let count: Count
        /// Whether it is between tags, and not in an attribute.
        let isInText: Bool
        let line: Int
        let column: Int
        var one: Run?
    }

    /// A statement that has no `{% end %}` yet.
    private struct Block {
        let isConditional: Bool
        var isPlural = false
        var hasElse = false
        /// The context in the HTML that each branch begins in and must end in.
        let context: HTMLContext
        let line: Int
        let column: Int
    }

    /// - Parameters:
    ///   - file: The template's path, for the messages of the Swift compiler.
    ///   - name: The file's name without its extension.
    ///   - catalogues: The languages besides English.
    /// - Throws: `TemplateError` that says where the template, or a translation of it, is wrong.
    init(
        _ source: String, file: String, name: String, catalogues: [Catalogue] = []
    ) throws(TemplateError) {
        self.file = file
        self.name = name
        self.catalogues = catalogues
        let tokens = try TemplateScanner(source).tokens()
        try begin(tokens.first, name: name, tokens)
        for token in tokens.dropFirst() {
            switch token.kind {
            case .literal: try write(token)
            case .value: try value(token)
            case .statement: try statement(token)
            }
        }
        try sentences.endBlock()
        if let block = blocks.last {
            throw TemplateError(
                line: block.line, column: block.column, message: "This block has no {% end %}")
        }
        let end = source.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        guard context.isText else {
            throw TemplateError(
                line: end, column: 1, message: "The template ends \(context.place), not in text")
        }
        try endText(line: end, column: 1)
        swift += code.source
        swift += isPage ? "}\nreturn View(reserving: \(size), __write)\n}\n}\n" : "}\n}\n"
    }

    // MARK: The function

    /// An estimate of a page's bytes: its own HTML, and 16 bytes for each tag.
    private var size = 0

    private mutating func begin(
        _ token: TemplateScanner.Token?, name: String, _ tokens: [TemplateScanner.Token]
    ) throws(TemplateError) {
        let function = Self.functionName(name)
        let words = token.map { Self.words($0.text) } ?? []
        guard let token, token.kind == .statement, token.line == 1,
            ["page", "view"].contains(words.first),
            words.dropFirst().joined(separator: " ").hasPrefix(function + "(")
        else {
            throw TemplateError(
                line: 1, column: 1,
                message: "The template must begin with {% page \(function)(…) %} or "
                    + "{% view \(function)(…) %}")
        }
        if let second = tokens.dropFirst().first, second.line == 1 {
            throw TemplateError(
                line: 1, column: second.column, message: "The HTML begins on a line of its own")
        }
        let signature = token.text.trimmingWhiteSpace.dropFirst("page".count).trimmingWhiteSpace
        isPage = words[0] == "page"
        size = tokens.reduce(0) { $0 + ($1.kind == .literal ? $1.text.utf8.count : 16) }
        swift = """
            // Made by view-compiler from \(name).html; edit that.

            import Encodings
            import FaveGames
            import Foundation
            import HTTP
            import Languages

            extension \(isPage ? "View" : "HTML") {
            #sourceLocation(file: \(file.debugDescription), line: 1)

            """
        if isPage {
            swift += """
                package static func \(signature)
                -> View {
                func __write(to __html: inout HTML) {

                """
        } else {
            let declared = signature.dropLast()
            swift += "static func \(declared)\(declared.last == "(" ? "" : ", ")"
            swift += "to __html: inout HTML) {\n"
        }
    }

    /// Turns "platform-game" into "platformGame".
    static func functionName(_ name: String) -> String {
        let parts = name.split(separator: "-")
        return parts.prefix(1).joined()
            + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    // MARK: HTML

    private mutating func write(_ token: TemplateScanner.Token) throws(TemplateError) {
        var (line, column) = (token.line, token.column)
        for byte in token.text.utf8 {
            let (wasText, wasInWords) = (context.isText, context.isInWords)
            do throws(HTMLContext.Refusal) {
                try context.read(byte)
            } catch {
                throw TemplateError(line: line, column: column, message: error.message)
            }
            let place = Sentences.Place(line: line, column: column)
            switch (wasInWords, context.isInWords) {
            case (true, true):
                words.read(byte, at: place)
                attribute.text(byte, line: line)
            case (true, false):
                try words.endBlock()
                try endAttribute(line: line, column: column)
            case (false, true): words = Sentences()
            default: break
            }
            switch (wasText, context.isText) {
            case (true, true):
                sentences.read(byte, at: place)
                text.text(byte, line: line)
            case (false, true):
                tag.raw(CollectionOfOne(byte))
                try endTag(line: line, column: column)
            default: if !(wasInWords && context.isInWords) { tag.raw(CollectionOfOne(byte)) }
            }
            column += 1
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
    }

    private mutating func endTag(line: Int, column: Int) throws(TemplateError) {
        defer { tag = Code() }
        guard let (name, isEnd) = context.latestTag else {
            // A comment, or the declaration.
            try sentences.endBlock()
            try endText(line: line, column: column)
            return code.append(tag)
        }
        try sentences.read(tag: name, isEnd: isEnd)
        guard InlineElements.contains(name) || InlineElements.isVoid(name) else {
            guard plural == nil else {
                throw TemplateError(
                    line: line, column: column,
                    message: "A {% plural %} has one sentence for each count, without blocks")
            }
            try endText(line: line, column: column)
            if name == "pre" { isCode = !isEnd }
            if name == "svg" || name == "option" { isTextOnly = !isEnd }
            return code.append(tag)
        }
        text.tag(name, isEnd: isEnd, tag)
    }

    // MARK: Messages

    private mutating func endText(line: Int, column: Int) throws(TemplateError) {
        let compiled = try end(text, isInText: true, line, column)
        text = Run()
        code.append(compiled)
    }

    private mutating func endAttribute(line: Int, column: Int) throws(TemplateError) {
        let compiled = try end(attribute, isInText: false, line, column)
        attribute = Run()
        tag.append(compiled)
    }

    /// Compiles what a run consists of.
    private mutating func end(
        _ run: Run, isInText: Bool, _ line: Int, _ column: Int
    ) throws(TemplateError) -> Code {
        guard plural?.isInText != isInText || run.isEmpty else {
            throw TemplateError(
                line: line, column: column,
                message: "A {% plural %} has one sentence for each count")
        }
        if isInText, isCode { return run.code }
        var code = Code()
        for piece in try pieces(run, line, column) {
            switch piece {
            case .code(let part): code.append(part)
            case .sentence(let sentence):
                code.append(
                    try compiled([sentence], count: nil, isInText: isInText, line: run.line ?? line)
                )
            }
        }
        return code
    }

    private func pieces(
        _ run: Run, _ line: Int, _ column: Int
    ) throws(TemplateError) -> [Run.Piece] {
        do throws(Run.Fault) {
            return try run.pieces()
        } catch {
            throw TemplateError(line: run.line ?? line, column: column, message: error.message)
        }
    }

    /// Compiles a message: one sentence, or those for one and for other counts.
    private mutating func compiled(
        _ sentences: [Run.Sentence], count: OpenPlural.Count?, isInText: Bool, line: Int
    ) throws(TemplateError) -> Code {
        let message = Message(
            context: name, forms: sentences.map(\.parts), count: count.flatMap(\.name),
            place: !isInText ? .attribute : isTextOnly ? .textOnly : .text, line: line)
        try message.checkForms()
        messages.append(message)
        return try MessageCode(
            message: message, sentences: sentences, count: count?.code
        ).code(catalogues)
    }

    // MARK: Values and statements

    private mutating func value(_ token: TemplateScanner.Token) throws(TemplateError) {
        guard !token.text.trimmingWhiteSpace.isEmpty else {
            throw error("This tag has no value", token)
        }
        try refuseWords(token, isShown: context.isText || context.isInWords)
        let value = Value(token)
        // The value gets a line to itself, so that the columns that the Swift compiler reports are the
        // template's.
        let isInText = context.isText
        let isInWords = context.isInWords
        let place = Sentences.Place(line: token.line, column: token.column - 2)
        if isInText {
            sentences.readValue(at: place)
        } else if isInWords {
            words.readValue(at: place)
        }
        let escaping: HTMLContext.Escaping
        do throws(HTMLContext.Refusal) {
            escaping = try context.readValue()
        } catch {
            throw self.error(error.message, token)
        }
        var code = Code()
        if escaping == .text, let call = Self.viewCall(value.swift) {
            code.swift(
                located(
                    call[...], line: token.line, value.column, from: "HTML",
                    then: (call.last == "(" ? "" : ", ") + "to: &__html)"))
        } else {
            code.swift(
                located(
                    value.swift[...], line: token.line, value.column,
                    from: "__html.\(escaping.rawValue)(", then: ")"))
        }
        if isInText {
            text.value(value.name, code)
        } else if isInWords {
            attribute.value(value.name, code)
        } else {
            tag.append(code)
        }
    }

    /// A call of a view as that of a member, without its last parenthesis; `nil` if the value is something
    /// else.
    private static func viewCall(_ value: String) -> String? {
        guard let call = value.prefixMatch(of: /\s*(self\.)?([a-z]\w*)\(/),
            let end = value.lastIndex(of: ")"),
            value[value.index(after: end)...].allSatisfy(\.isWhitespace)
        else { return nil }
        var depth = 1
        for character in value[call.range.upperBound..<end] {
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            guard depth > 0 else { return nil }
        }
        // The name keeps its column if there is room for the dot.
        let name = call.2.startIndex
        let column = value[..<name].utf8.count
        return String(repeating: " ", count: max(0, column - 1)) + "." + value[name..<end]
    }

    private func refuseWords(
        _ token: TemplateScanner.Token, isShown: Bool = false
    ) throws(TemplateError) {
        guard let string = Value.words(in: token.text, isShown: isShown) else { return }
        throw error(
            "Translators don't see \(string): write the words in the HTML, or in a file of words",
            token)
    }

    private mutating func statement(_ token: TemplateScanner.Token) throws(TemplateError) {
        let words = Self.words(token.text)
        try refuseWords(token)
        do throws(HTMLContext.Refusal) {
            try context.readStatement()
        } catch {
            throw self.error(error.message, token)
        }
        switch words.first {
        case "if", "for":
            try open(token, isConditional: words[0] == "if")
            try add(located(token.text[...], line: token.line, token.column, then: "{"), token)
        case "plural":
            guard context.isText || context.isInWords else {
                throw error("A {% plural %} is a sentence, which can't be \(context.place)", token)
            }
            try open(token, isConditional: true, isPlural: true)
            try endRun(token)
            let count = token.text.trimmingWhiteSpace.dropFirst("plural".count)
            plural = OpenPlural(
                count: .init(
                    name: Value.lastName(of: String(count)),
                    code: located(
                        count, line: token.line, token.column, from: "let __n = (", then: ")")),
                isInText: context.isText, line: token.line, column: token.column)
        case "other":
            let block = try closed(token)
            guard block.isPlural, words.count == 1, !block.hasElse else {
                throw error("Only {% plural %} has one {% other %}", token)
            }
            blocks[blocks.count - 1].hasElse = true
            readBranch { $0.beginAlternative(isLast: true) }
            let one = takeRun()
            plural?.one = one
        case "else":
            let block = try closed(token)
            guard block.isConditional, !block.isPlural else {
                throw error("Only {% if %} has an else", token)
            }
            guard !block.hasElse else { throw error("This {% if %} has an else already", token) }
            guard words.count == 1 || words[1] == "if" else {
                throw error("Write {% else %} or {% else if … %}", token)
            }
            blocks[blocks.count - 1].hasElse = words.count == 1
            readBranch { $0.beginAlternative(isLast: words.count == 1) }
            try add(
                located(token.text[...], line: token.line, token.column, from: "}", then: "{"),
                token)
        case "end": try end(token, words)
        case "let": try add(located(token.text[...], line: token.line, token.column), token)
        case let word:
            throw error(
                "\"\(word ?? "")\" is no statement; there are if, else, else if, for, let, plural, other "
                    + "and end", token)
        }
    }

    private mutating func open(
        _ token: TemplateScanner.Token, isConditional: Bool, isPlural: Bool = false
    ) throws(TemplateError) {
        guard plural == nil || !(context.isText || context.isInWords) else {
            throw error("A {% plural %} has one sentence for each count", token)
        }
        blocks.append(
            Block(
                isConditional: isConditional, isPlural: isPlural, context: context,
                line: token.line,
                column: token.column))
        readBranch { $0.beginBranch() }
    }

    private mutating func end(
        _ token: TemplateScanner.Token, _ words: [String]
    ) throws(TemplateError) {
        guard words.count == 1 else { throw error("Write {% end %}", token) }
        let block = try closed(token)
        guard !block.isPlural || block.hasElse else {
            throw error("A {% plural %} needs an {% other %}", token)
        }
        blocks.removeLast()
        var isBalanced = true
        readBranch { isBalanced = $0.endBranches() }
        guard isBalanced else {
            throw error("This branch ends within other inline elements than it began in", token)
        }
        guard block.isPlural, let plural else { return try add("}\n", token) }
        self.plural = nil
        let isInText = context.isText
        let forms = [plural.one ?? Run(), takeRun()]
        var sentences: [Run.Sentence] = []
        for index in forms.indices {
            do throws(Run.Fault) {
                sentences.append(try forms[index].whole())
            } catch {
                throw TemplateError(
                    line: plural.line, column: plural.column, message: error.message)
            }
        }
        if let name = sentences[1].firstDifference(from: sentences[0]) {
            throw TemplateError(
                line: plural.line, column: plural.column,
                message:
                    "{\(name)} or <\(name)> isn't the same in both sentences: give one another name"
            )
        }
        let code = try compiled(
            sentences, count: plural.count, isInText: isInText, line: forms[0].line ?? plural.line)
        if isInText { self.code.append(code) } else { tag.append(code) }
    }

    /// Adds Swift behind what the place has so far.
    private mutating func add(
        _ swift: String, _ token: TemplateScanner.Token
    ) throws(TemplateError) {
        try endRun(token)
        if context.isText { code.swift(swift) } else { tag.swift(swift) }
    }

    private mutating func endRun(_ token: TemplateScanner.Token) throws(TemplateError) {
        if context.isText {
            try endText(line: token.line, column: token.column)
        } else if context.isInWords {
            try endAttribute(line: token.line, column: token.column)
        }
    }

    private mutating func takeRun() -> Run {
        defer { if context.isText { text = Run() } else { attribute = Run() } }
        return context.isText ? text : attribute
    }

    /// Tells the sentence around a statement, if there is one.
    private mutating func readBranch(_ body: (inout Sentences) -> Void) {
        if context.isText { body(&sentences) } else if context.isInWords { body(&words) }
    }

    /// The block whose branch ends here.
    ///
    /// - Throws: `TemplateError` if there is no block, or if the branch ends in another context of
    ///   the HTML than it began in. What follows could then be escaped for the wrong place.
    private func closed(_ token: TemplateScanner.Token) throws(TemplateError) -> Block {
        guard let block = blocks.last else { throw error("There is no block to end here", token) }
        guard context == block.context else {
            throw error(
                context.place == block.context.place
                    ? "How the rest is read \(context.place) depends on this branch: write one value, or "
                        + "say it outside the branch"
                    : "This branch ends \(context.place), and began \(block.context.place) in line "
                        + "\(block.line)", token)
        }
        return block
    }

    /// Swift of the template on a line of its own, where the Swift compiler finds it in the template.
    private func located(
        _ text: Substring, line: Int, _ column: Int, from prefix: String = "",
        then suffix: String = ""
    ) -> String {
        """
        #sourceLocation(file: \(file.debugDescription), line: \(line - 1))
        \(prefix)
        \(String(repeating: " ", count: column - 1))\(text)
        \(suffix)

        """
    }

    private func error(_ message: String, _ token: TemplateScanner.Token) -> TemplateError {
        // The delimiter begins two bytes before the text.
        TemplateError(line: token.line, column: token.column - 2, message: message)
    }
}

extension StringProtocol where SubSequence == Substring {
    var trimmingWhiteSpace: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
