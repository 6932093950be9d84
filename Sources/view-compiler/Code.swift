/// Part of a template's function: literal HTML and Swift statements, in order.
struct Code {
    private enum Part {
        case raw([UInt8])
        case swift(String)
    }

    private var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    /// Adds HTML that the template or a translation contains.
    mutating func raw(_ html: some Collection<UInt8>) {
        if case .raw(var before) = parts.last {
            parts.removeLast()
            before += html
            parts.append(.raw(before))
        } else if !html.isEmpty {
            parts.append(.raw(Array(html)))
        }
    }

    /// Adds lines of Swift.
    mutating func swift(_ lines: String) { parts.append(.swift(lines)) }

    mutating func append(_ other: Code) {
        for part in other.parts {
            switch part {
            case .raw(let html): raw(html)
            case .swift(let lines): swift(lines)
            }
        }
    }

    /// The source without its places, to compare.
    var statements: [Substring] {
        source.split(separator: "\n").filter { !$0.hasPrefix("#sourceLocation") }
            .map { $0.drop { $0 == " " } }
    }

    /// The Swift source, each statement on lines of its own.
    var source: String {
        parts.map { part in
            switch part {
            case .raw(let html):
                "__html.raw(\(String(decoding: html, as: UTF8.self).debugDescription))\n"
            case .swift(let lines): lines
            }
        }.joined()
    }
}
