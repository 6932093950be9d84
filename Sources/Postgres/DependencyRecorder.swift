import Encodings
import Foundation
import Synchronization

/// Collects the dependencies of everything that is read through it. A response that is made from
/// these reads can be cached until a dependency changes. Any thread may use it.
public final class DependencyRecorder: Sendable {
    private struct State {
        var keys: Set<String>? = []
        var statements: Set<Statement> = []
        /// `nil` if some are unknown.
        var executions: [Execution]? = []
    }

    private let state = Mutex(State())
    private let settle: @Sendable () async -> Void

    /// - Parameter settle: Returns once the statements have ended that what is read should follow.
    public init(settle: @escaping @Sendable () async -> Void = {}) { self.settle = settle }

    /// The keys of everything that was read; `nil` if some dependencies are unknown.
    public var keys: Set<String>? { state.withLock { $0.keys } }

    /// The statements that were run.
    public var statements: Set<Statement> { state.withLock { $0.statements } }

    /// Whether everything was certainly read after another statement had ended.
    public func follows(_ other: Execution) -> Bool {
        state.withLock { $0.executions?.allSatisfy { $0.follows(other) } ?? false }
    }

    /// Call this before running a statement. Short reads are executed in the order in which they are queued.
    /// A long read has another connection, so it has to wait.
    public func willRead(_ statement: Statement) async {
        if statement.effect == .longRead { await settle() }
    }

    /// Notes that the response uses something without keys for its changes.
    public func giveUp() { state.withLock { $0.keys = nil } }

    /// Notes the result of a statement. There are no keys if the statement's dependencies were not
    /// declared, or if the result is empty and the first dependency consists only of the ids of the
    /// found rows.
    public func record(_ statement: Statement, _ parameters: [PostgresParameter], _ rows: Rows) {
        state.withLock { state in
            state.statements.insert(statement)
            if let execution = rows.execution {
                state.executions?.append(execution)
            } else {
                state.executions = nil
            }
            guard var keys = state.keys.take(), let dependencies = statement.dependencies,
                !rows.isEmpty || dependencies.coverAbsence
            else { return }
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
        if let uuid: UUID = try? self[column] { return uuid.text }
        preconditionFailure("column \(column) is not an id")
    }
}

extension Dependencies {
    /// Inserts the keys of a result's dependencies.
    fileprivate func insertKeys(
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
