/// The rule of a language for the forms of plurals, from the header `Plural-Forms` of a catalogue: an
/// expression of C that gives the number of a form for a count `n` (gettext manual, section 11.2.6).
struct PluralFormula: Equatable {
    let formCount: Int
    /// The expression in Swift, for an `Int` called `__n`.
    let swift: String
    private let root: Node

    private indirect enum Node: Equatable {
        case n
        case number(Int)
        case binary(String, Node, Node)
        case not(Node)
        case choice(Node, Node, Node)
    }

    /// - Throws: `Message.Fault` if the header is not of the form `nplurals=…; plural=…;`.
    init(header: String) throws(Message.Fault) {
        guard
            let match = header.wholeMatch(
                of: /\s*nplurals\s*=\s*([1-6])\s*;\s*plural\s*=\s*([^;]+);?\s*/),
            let count = Int(match.1), match.2.count < 500
        else { throw Message.Fault("Plural-Forms has the form \"nplurals=2; plural=(n != 1);\"") }
        var parser = Parser(String(match.2))
        root = try parser.expression()
        guard parser.isAtEnd else { throw Message.Fault("Plural-Forms ends in \(parser.rest)") }
        formCount = count
        swift = Self.number(root)
        guard (0...1000).allSatisfy({ (0..<count).contains(Self.value(of: root, $0)) }) else {
            throw Message.Fault("Plural-Forms gives more forms than nplurals says")
        }
    }

    /// The form for a count, from 0.
    func form(for n: Int) -> Int { Self.value(of: root, n) }

    private static func value(of node: Node, _ n: Int) -> Int {
        switch node {
        case .n: n
        case .number(let number): number
        case .not(let node): value(of: node, n) == 0 ? 1 : 0
        case .choice(let condition, let yes, let no):
            value(of: value(of: condition, n) != 0 ? yes : no, n)
        case .binary(let symbol, let left, let right):
            apply(symbol, value(of: left, n), value(of: right, n))
        }
    }

    private static func apply(_ symbol: String, _ left: Int, _ right: Int) -> Int {
        switch symbol {
        case "%": left % right
        case "||": left != 0 || right != 0 ? 1 : 0
        case "&&": left != 0 && right != 0 ? 1 : 0
        case "==": left == right ? 1 : 0
        case "!=": left != right ? 1 : 0
        case "<": left < right ? 1 : 0
        case ">": left > right ? 1 : 0
        case "<=": left <= right ? 1 : 0
        default: left >= right ? 1 : 0
        }
    }

    private static func number(_ node: Node) -> String {
        switch node {
        case .n: "__n"
        case .number(let number): String(number)
        case .binary("%", let left, let right): "(\(number(left)) % \(number(right)))"
        case .choice(let condition, let yes, let no):
            "(\(truth(condition)) ? \(number(yes)) : \(number(no)))"
        case .not, .binary: "(\(truth(node)) ? 1 : 0)"
        }
    }

    private static func truth(_ node: Node) -> String {
        switch node {
        case .not(let node): "(\(truth(node)) == false)"
        case .binary(let symbol, let left, let right) where ["||", "&&"].contains(symbol):
            "(\(truth(left)) \(symbol) \(truth(right)))"
        case .binary(let symbol, let left, let right) where symbol != "%":
            "(\(number(left)) \(symbol) \(number(right)))"
        default: "(\(number(node)) != 0)"
        }
    }

    private struct Parser {
        private(set) var rest: Substring
        var isAtEnd: Bool { rest.isEmpty }

        init(_ text: String) { rest = text.filter { !$0.isWhitespace }[...] }

        private static let levels = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["%"]]

        mutating func expression() throws(Message.Fault) -> Node {
            let condition = try binary(0)
            guard skip("?") else { return condition }
            let yes = try expression()
            guard skip(":") else {
                throw Message.Fault("Plural-Forms lacks a colon before \"\(rest)\"")
            }
            return .choice(condition, yes, try expression())
        }

        private mutating func binary(_ level: Int) throws(Message.Fault) -> Node {
            guard level < Self.levels.count else { return try operand() }
            var left = try binary(level + 1)
            while let symbol = Self.levels[level].first(where: { rest.hasPrefix($0) }) {
                rest.removeFirst(symbol.count)
                let right = try binary(level + 1)
                if symbol == "%" {
                    guard case .number(1...) = right else {
                        throw Message.Fault("Plural-Forms divides by what may be 0")
                    }
                }
                left = .binary(symbol, left, right)
            }
            return left
        }

        private mutating func operand() throws(Message.Fault) -> Node {
            if skip("!") { return .not(try operand()) }
            if skip("n") { return .n }
            if skip("(") {
                let node = try expression()
                guard skip(")") else {
                    throw Message.Fault("Plural-Forms lacks a bracket before \"\(rest)\"")
                }
                return node
            }
            let digits = rest.prefix { $0.isNumber }
            guard let number = Int(digits) else {
                throw Message.Fault("Plural-Forms has \"\(rest)\", which is no expression")
            }
            rest.removeFirst(digits.count)
            return .number(number)
        }

        private mutating func skip(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest.removeFirst(text.count)
            return true
        }
    }
}
