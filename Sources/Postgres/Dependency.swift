import Foundation
import Synchronization

/// What the result of a read depends on, apart from its parameters: a table's change, or the change
/// of one thing in it. A dependency is named by a key, as the database's triggers name what changed.
public struct Dependency: Sendable {
    fileprivate enum Source: Sendable {
        /// The key is the same for every result.
        case always
        /// The ids are those in the parameter `$n`, which is one id or an array.
        case parameter(Int)
        /// The ids are those in a column of the result.
        case column(String)
    }

    fileprivate let name: String
    fileprivate let source: Source

    /// A dependency whose key is the name alone.
    public static func all(_ name: String) -> Dependency { Dependency(name: name, source: .always) }

    /// A dependency on one thing for each id in a parameter.
    ///
    /// - Parameter number: The parameter's number, from 1.
    public static func each(_ name: String, parameter number: Int) -> Dependency {
        Dependency(name: name, source: .parameter(number))
    }

    /// A dependency on one thing for each id in a column of the result.
    ///
    /// - Parameter expression: One of the expressions that the statement selects. Its type is an
    ///   integer or `uuid`.
    public static func each(_ name: String, column expression: String) -> Dependency {
        Dependency(name: name, source: .column(expression))
    }
}

/// The dependencies of a statement, with the numbers of their columns.
struct Dependencies: Sendable {
    private let dependencies: [(name: String, source: Dependency.Source, column: Int)]

    /// Stops the program if a dependency names an expression that is not selected: statements are
    /// part of the program.
    init(_ dependencies: [Dependency], selecting expressions: [String]) {
        self.dependencies = dependencies.map { dependency in
            guard case .column(let expression) = dependency.source else {
                return (dependency.name, dependency.source, 0)
            }
            guard let column = expressions.firstIndex(of: expression) else {
                preconditionFailure("\(expression) is not selected")
            }
            return (dependency.name, dependency.source, column)
        }
    }

    var names: [String] { dependencies.map(\.name) }

    /// The keys of what a result depends on.
    func insertKeys(
        of parameters: [PostgresParameter], _ rows: Rows, into keys: inout Set<String>
    ) {
        for (name, source, column) in dependencies {
            switch source {
            case .always: keys.insert(name)
            case .parameter(let number):
                for id in parameters[number - 1].elements { keys.insert("\(name) \(id)") }
            case .column:
                for row in rows {
                    if let id = row.id(column) { keys.insert("\(name) \(id)") }
                }
            }
        }
    }
}

/// Collects what everything that is read through it depends on, so that an answer made from that can
/// be kept until a dependency changes. Any thread may use it.
public final class DependencyRecorder: Sendable {
    private struct State {
        var keys: Set<String>? = []
        var statements: Set<Statement> = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The keys of everything that was read; `nil` if it can't be said what that depends on.
    public var keys: Set<String>? { state.withLock { $0.keys } }

    /// The statements that were run.
    public var statements: Set<Statement> { state.withLock { $0.statements } }

    /// Notes that something was used whose changes have no keys.
    public func giveUp() { state.withLock { $0.keys = nil } }

    /// Notes the result of a statement. One whose dependencies were not declared has no keys.
    public func record(_ statement: Statement, _ parameters: [PostgresParameter], _ rows: Rows) {
        state.withLock { state in
            state.statements.insert(statement)
            guard var keys = state.keys.take(), let dependencies = statement.dependencies else {
                return
            }
            dependencies.insertKeys(of: parameters, rows, into: &keys)
            state.keys = keys
        }
    }
}

extension PostgresParameter {
    /// The ids of a parameter that is an id, an array of ids or NULL.
    fileprivate var elements: [String] {
        guard let text else { return [] }
        guard text.hasPrefix("{") else { return [text.lowercased()] }
        return text.dropFirst().dropLast().split(separator: ",").map { $0.lowercased() }
    }
}

extension Row {
    /// The id in a column, as text; `nil` for NULL.
    fileprivate func id(_ column: Int) -> String? {
        guard !isNull(column) else { return nil }
        if let number: Int = try? self[column] { return String(number) }
        if let uuid: UUID = try? self[column] { return uuid.uuidString.lowercased() }
        preconditionFailure("column \(column) is not an id")
    }
}
