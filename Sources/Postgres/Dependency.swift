/// A change that makes a read's result outdated: any change of a table, or the change of one thing
/// in it. Its key is the name that the database's triggers give to the change.
public struct Dependency: Sendable {
    enum Source: Sendable {
        /// The key is the same for every result.
        case always
        /// The ids are those in the parameter `$n`, which is one id or an array.
        case parameter(Int)
        /// The ids are those in a column of the result.
        case column(String)
    }

    let name: String
    let source: Source

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
    let dependencies: [(name: String, source: Dependency.Source, column: Int)]

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

    private init(_ dependencies: [(name: String, source: Dependency.Source, column: Int)]) {
        self.dependencies = dependencies
    }

    func adding(_ dependency: Dependency) -> Dependencies {
        Dependencies(dependencies + [(dependency.name, dependency.source, 0)])
    }

    var names: [String] { dependencies.map(\.name) }

    /// Whether the keys of a result without rows name every change that could add rows to it.
    var coverAbsence: Bool {
        if case .column = dependencies.first?.source { false } else { true }
    }
}
