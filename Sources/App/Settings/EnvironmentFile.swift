/// A file of variables in the format of `EnvironmentFile=` (systemd.exec(5)), read as systemd does: see
/// `parse_env_file_internal` in its env-file.c.
enum EnvironmentFile {
    private enum State {
        case beforeName, name, beforeValue, value, escaped
        case singleQuotes, doubleQuotes, escapedInQuotes
        case comment, escapedInComment
    }

    static func variables(_ text: String) -> [String: String] {
        var variables: [String: String] = [:]
        var state = State.beforeName
        var (name, value) = ("", String.UnicodeScalarView())
        // How much of the value would stay if its end were white space.
        var length = 0
        func isBlank(_ character: Unicode.Scalar) -> Bool { character == " " || character == "\t" }
        func finish() {
            variables[name.trimmingBlanks] = String(value.prefix(length))
            (name, value, length) = ("", String.UnicodeScalarView(), 0)
        }
        func take(_ character: Unicode.Scalar, isSignificant: Bool = true) {
            value.append(character)
            if isSignificant { length = value.count }
        }
        // Scalars, because "\r\n" is one Character.
        for character in (text + "\n").unicodeScalars {
            let isEnd = character == "\n" || character == "\r"
            switch state {
            case .beforeName:
                if character == "#" || character == ";" {
                    state = .comment
                } else if !isBlank(character), !isEnd {
                    name = String(character)
                    state = .name
                }
            case .name:
                if isEnd {
                    // A line without "=" is no variable.
                    name = ""
                    state = .beforeName
                } else if character == "=" {
                    state = .beforeValue
                } else {
                    name.unicodeScalars.append(character)
                }
            case .beforeValue, .value:
                switch character {
                case "\n", "\r":
                    finish()
                    state = .beforeName
                case "'" where state == .beforeValue: state = .singleQuotes
                case "\"" where state == .beforeValue: state = .doubleQuotes
                case "\\": state = .escaped
                case _ where state == .beforeValue && isBlank(character): break
                default:
                    take(character, isSignificant: !isBlank(character))
                    state = .value
                }
            case .escaped:
                if !isEnd { take(character) }
                state = .value
            case .singleQuotes:
                if character == "'" { state = .beforeValue } else { take(character) }
            case .doubleQuotes:
                switch character {
                case "\"": state = .beforeValue
                case "\\": state = .escapedInQuotes
                default: take(character)
                }
            case .escapedInQuotes:
                if !"\"\\`$".unicodeScalars.contains(character), !isEnd { take("\\") }
                if !isEnd { take(character) }
                state = .doubleQuotes
            case .comment:
                if isEnd { state = .beforeName }
                if character == "\\" { state = .escapedInComment }
            case .escapedInComment: state = .comment
            }
        }
        return variables
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
