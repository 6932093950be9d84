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
        var (name, value) = ("", "")
        // How much of the value would stay if its end were white space.
        var length = 0
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        func finish() {
            variables[name.trimmingBlanks] = String(value.prefix(length))
            (name, value, length) = ("", "", 0)
        }
        func take(_ character: Character, isSignificant: Bool = true) {
            value.append(character)
            if isSignificant { length = value.count }
        }
        for character in text + "\n" {
            let isEnd = character == "\n"
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
                    name.append(character)
                }
            case .beforeValue, .value:
                switch character {
                case "\n":
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
                if !"\"\\`$".contains(character), !isEnd { take("\\") }
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
