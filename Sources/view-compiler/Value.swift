extension Template {
    /// A `{{ value }}`.
    struct Value {
        /// What translators know the value by: the name before a colon, or the last one in the expression;
        /// `nil` if the expression doesn't end in a name.
        let name: String?
        /// The expression.
        let swift: String
        /// Where the expression begins.
        let column: Int

        init(_ token: TemplateScanner.Token) {
            if let match = token.text.prefixMatch(of: #/\s*([a-z][A-Za-z0-9]*): /#) {
                name = String(match.1)
                swift = String(token.text[match.range.upperBound...])
                column = token.column + token.text[..<match.range.upperBound].utf8.count
            } else {
                name = Self.lastName(of: token.text)
                swift = token.text
                column = token.column
            }
        }

        static func lastName(of text: String) -> String? {
            var path = text.trimmingWhiteSpace
            while true {
                if path.last == ")", let open = openingBracket(of: path) { path = path[..<open] }
                guard let dot = path.lastIndex(of: "."),
                    displays.contains(path[path.index(after: dot)...])
                else { break }
                path = path[..<dot]
            }
            return path.wholeMatch(of: #/(?:[A-Za-z_][A-Za-z0-9_]*[?!]?\.)*([a-z][A-Za-z0-9]*)/#)
                .map {
                    String($0.1)
                }
        }

        /// Members that say how a value is shown, not what it is.
        private static let displays: Set<Substring> = ["grouped", "shortDay", "text"]

        private static func openingBracket(of path: Substring) -> Substring.Index? {
            var depth = 0
            return path.indices.last { index in
                depth += path[index] == ")" ? 1 : path[index] == "(" ? -1 : 0
                return depth == 0
            }
        }

        /// The first string for people in an expression or statement.
        ///
        /// - Parameter isShown: Whether it is shown as text: then each string outside of brackets is for
        ///   people, if it has a letter. Others are if they have a capital letter or a space beside a letter;
        ///   names of fields, of elements and of files have neither.
        static func words(in text: String, isShown: Bool) -> Substring? {
            for match in text.matches(of: #/"((?:[^"\\]|\\.)*)"/#) {
                let string = match.1.replacing(#/\\\([^)]*\)/#, with: "")
                let before = text[..<match.range.lowerBound]
                let depth =
                    before.count { $0 == "(" || $0 == "[" }
                    - before.count { $0 == ")" || $0 == "]" }
                if string.contains(#/[A-Za-z] |[ :][A-Za-z]|^[A-Z]|’/#) { return match.0 }
                if isShown, depth == 0, string.contains(#/[A-Za-z]/#) { return match.0 }
            }
            return nil
        }
    }
}
