extension Template {
    /// A `{{ value }}`.
    struct Value {
        /// What translators know the value by: the name before a colon, or the last one in the expression;
        /// `nil` if that has none.
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
    }
}
