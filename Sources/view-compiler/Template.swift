/// A template: HTML with `{{ value }}` and `{% statement %}`, both of them Swift.
///
/// The first line declares the function that the template becomes, which is named after the file.
/// `{% page ranking(platform: PlatformModel) %}` makes a function for other modules, which returns
/// the HTML. `{% view cover(…) %}` makes one for other templates, which appends it to theirs. So,
/// in text, `{{ cover(…) }}` always calls a view.
///
/// The statements are `if`, `if let`, `else`, `else if`, `for`, `let`, `end`, and `plural`: one
/// sentence for a count of one and, behind `other`, one for all other counts. Each value is
/// escaped for its place in the HTML, which `HTMLContext` determines. A value in a place that is not
/// safe is rejected.
struct Template {
    /// The function, as Swift.
    private(set) var swift = ""

    private let file: String
    private var isPage = false
    private var context = HTMLContext()
    private var sentences = Sentences()
    /// That of the current attribute.
    private var words = Sentences()
    private var blocks: [Block] = []

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
    /// - Throws: `TemplateError` that says where the template is wrong.
    init(_ source: String, file: String, name: String) throws(TemplateError) {
        self.file = file
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
        guard context.isText else {
            throw TemplateError(
                line: source.utf8.count { $0 == UInt8(ascii: "\n") } + 1, column: 1,
                message: "The template ends \(context.place), not in text")
        }
        swift += (isPage ? "return __html\n" : "") + "}\n}\n"
    }

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
        swift = """
            // Made by view-compiler from \(name).html; edit that.

            import Encodings
            import FaveGames
            import Foundation
            import HTTP

            extension HTML {
            #sourceLocation(file: \(file.debugDescription), line: 1)

            """
        guard isPage else {
            let declared = signature.dropLast()
            swift += "static func \(declared)\(declared.last == "(" ? "" : ", ")"
            swift += "to __html: inout HTML) {\n"
            return
        }
        // An estimate: 16 bytes for each tag. The function reserves half as much again, and the size
        // of the HTML that it gets.
        let size = tokens.reduce(0) { $0 + ($1.kind == .literal ? $1.text.utf8.count : 16) }
        let parts = signature.matches(of: /(\w+): HTML\b/).map { " + \($0.1).bytes.count" }
        swift += """
            package static func \(signature)
            -> HTML {
            var __html = HTML(reserving: \(size * 3 / 2)\(parts.joined()))

            """
    }

    /// A call of a view without its last parenthesis; `nil` if the value is something else.
    private static func viewCall(_ value: String) -> Substring? {
        guard let call = value.prefixMatch(of: /\s*(?:self\.)?[a-z]\w*\(/),
            let end = value.lastIndex(of: ")"),
            value[value.index(after: end)...].allSatisfy(\.isWhitespace)
        else { return nil }
        var depth = 1
        for character in value[call.range.upperBound..<end] {
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            guard depth > 0 else { return nil }
        }
        return value[..<end]
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
            switch (wasText, context.isText) {
            case (true, true): sentences.read(byte, at: place)
            case (false, true):
                let (name, isEnd) = context.latestTag
                try sentences.read(tag: name, isEnd: isEnd)
            default: break
            }
            switch (wasInWords, context.isInWords) {
            case (true, true): words.read(byte, at: place)
            case (true, false): try words.endBlock()
            case (false, true): words = Sentences()
            default: break
            }
            column += 1
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
        swift += "__html.raw(\(token.text.debugDescription))\n"
    }

    private mutating func value(_ token: TemplateScanner.Token) throws(TemplateError) {
        guard !token.text.trimmingWhiteSpace.isEmpty else {
            throw error("This tag has no value", token)
        }
        do throws(HTMLContext.Refusal) {
            // The value gets a line to itself, so that the columns that the Swift compiler reports
            // are the template's.
            let escaping = try context.readValue()
            if escaping == .text, let call = Self.viewCall(token.text) {
                emit("", call, at: token, then: (call.last == "(" ? "" : ", ") + "to: &__html)")
            } else {
                emit("__html.\(escaping.rawValue)(", token.text[...], at: token, then: ")")
            }
        } catch {
            throw self.error(error.message, token)
        }
    }

    private mutating func statement(_ token: TemplateScanner.Token) throws(TemplateError) {
        let words = Self.words(token.text)
        do throws(HTMLContext.Refusal) {
            try context.readStatement()
        } catch {
            throw self.error(error.message, token)
        }
        switch words.first {
        case "if", "for", "plural":
            blocks.append(
                Block(
                    isConditional: words[0] != "for", isPlural: words[0] == "plural",
                    context: context, line: token.line, column: token.column))
            readBranch { $0.beginBranch() }
            if words[0] == "plural" {
                let count = token.text.trimmingWhiteSpace.dropFirst("plural".count)
                emit("if (", count, at: token, then: ") == 1 {")
            } else {
                emit("", token.text[...], at: token, then: "{")
            }
        case "other":
            let block = try closed(token)
            guard block.isPlural, words.count == 1, !block.hasElse else {
                throw error("Only {% plural %} has one {% other %}", token)
            }
            blocks[blocks.count - 1].hasElse = true
            readBranch { $0.beginAlternative(isLast: true) }
            swift += "} else {\n"
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
            emit("}", token.text[...], at: token, then: "{")
        case "end":
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
            swift += "}\n"
        case "let": emit("", token.text[...], at: token, then: "")
        case let word:
            throw error(
                "\"\(word ?? "")\" is no statement; there are if, else, else if, for, let, plural, other "
                    + "and end", token)
        }
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

    private mutating func emit(
        _ prefix: String, _ text: Substring, at token: TemplateScanner.Token,
        then suffix: String
    ) {
        swift += """
            #sourceLocation(file: \(file.debugDescription), line: \(token.line - 1))
            \(prefix)
            \(String(repeating: " ", count: token.column - 1))\(text)
            \(suffix)

            """
    }

    private func error(_ message: String, _ token: TemplateScanner.Token) -> TemplateError {
        // The delimiter begins two bytes before the text.
        TemplateError(line: token.line, column: token.column - 2, message: message)
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmingWhiteSpace: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
