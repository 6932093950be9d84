package import HTTPTypes

/// Finds the target for a request's method and path, in a table that is fixed at start.
///
/// A pattern is a path whose segments are literals (`books`), parameters (`{book}`), or
/// parameters after a literal prefix (`@{author}`). At each segment, a literal is preferred to a
/// prefixed parameter, and that to a plain parameter. The router does not backtrack, so a path has
/// one meaning.
package struct Router<Target: Sendable>: Sendable {
    package enum Match: Sendable {
        case found(Target, PathParameters)
        /// No path has this method: RFC 9110 section 9.1. The value is one of this path's targets,
        /// if it has any, and tells what the path is for.
        case methodNotImplemented(Target?)
        /// The path exists, but not for this method. RFC 9110 section 15.5.6 requires the allowed
        /// methods in Allow. The target is one of the path's, and tells what the path is for.
        case methodNotAllowed(allowed: [HTTPRequest.Method], Target)
        case notFound
    }

    /// The nodes of the tree, in one array. Children are indices, so that a look-up copies no
    /// nodes.
    private var nodes = [Node()]
    /// The methods of all paths. Every server must support the first two, and we respond to OPTIONS
    /// everywhere.
    private var methods: Set<HTTPRequest.Method> = [.get, .head, .options]

    package init() {}

    /// Adds a target. A target for GET also responds to HEAD.
    ///
    /// Stops the program if the pattern is malformed, or if the method and path already have a
    /// target: the table is part of the program.
    package mutating func add(_ method: HTTPRequest.Method, _ pattern: String, _ target: Target) {
        precondition(pattern.hasPrefix("/"), "\(pattern) does not begin with a slash")
        var names: [String] = []
        var node = 0
        let path = pattern.dropFirst()
        let segments =
            path.isEmpty ? [] : path.split(separator: "/", omittingEmptySubsequences: false)
        for segment in segments {
            node = child(of: node, String(segment), names: &names)
        }
        precondition(
            nodes[node].routes.allSatisfy { $0.method != method },
            "\(method.rawValue) \(pattern) is declared twice")
        nodes[node].routes.append(Route(method: method, target: target, names: names))
        methods.insert(method)
    }

    private mutating func child(
        of node: Int, _ segment: String, names: inout [String]
    ) -> Int {
        guard segment.hasSuffix("}"), let open = segment.firstIndex(of: "{") else {
            precondition(!segment.contains { "{}".contains($0) }, "\(segment) is malformed")
            if let known = nodes[node].literals.first(where: { $0.text == segment }) {
                return known.node
            }
            let child = addNode()
            nodes[node].literals.append((segment, child))
            return child
        }
        names.append(String(segment[segment.index(after: open)...].dropLast()))
        let beginning = String(segment[..<open])
        guard !beginning.isEmpty else {
            let child = nodes[node].parameter ?? addNode()
            nodes[node].parameter = child
            return child
        }
        let known = nodes[node].beginning
        precondition(known == nil || known?.text == beginning, "two beginnings at one place")
        let child = known?.node ?? addNode()
        nodes[node].beginning = (beginning, child)
        return child
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// - Parameter segments: The decoded segments of the path.
    package func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        var values: [String] = []
        let index = Self.walk(nodes.span, segments, &values)
        let routes = index.map { nodes[$0].routes } ?? []
        guard methods.contains(method) else { return .methodNotImplemented(routes.first?.target) }
        guard let index, let first = routes.first else { return .notFound }
        guard
            let route = routes.first(where: { $0.method == method })
                ?? (method == .head ? routes.first { $0.method == .get } : nil)
        else {
            return .methodNotAllowed(allowed: nodes[index].allowedMethods, first.target)
        }
        return .found(route.target, PathParameters(names: route.names, values: values))
    }

    private static func walk(
        _ nodes: Span<Node>, _ segments: [String], _ values: inout [String]
    ) -> Int? {
        var node = 0
        for segment in segments {
            // A node has few literals, and short texts are compared faster than they are hashed.
            if let literal = nodes[node].literals.first(where: { $0.text == segment }) {
                node = literal.node
            } else if let (beginning, child) = nodes[node].beginning,
                segment.hasPrefix(beginning), segment.utf8.count > beginning.utf8.count
            {
                values.append(String(segment.dropFirst(beginning.count)))
                node = child
            } else if let child = nodes[node].parameter, !segment.isEmpty {
                values.append(segment)
                node = child
            } else {
                return nil
            }
        }
        return node
    }

    private struct Route: Sendable {
        let method: HTTPRequest.Method
        let target: Target
        let names: [String]
    }

    private struct Node: Sendable {
        var literals: [(text: String, node: Int)] = []
        var beginning: (text: String, node: Int)?
        var parameter: Int?
        var routes: [Route] = []

        var allowedMethods: [HTTPRequest.Method] {
            var methods = Set(routes.map(\.method))
            if methods.contains(.get) { methods.insert(.head) }
            methods.insert(.options)
            return methods.sorted { $0.rawValue < $1.rawValue }
        }
    }
}

/// The values of a pattern's parameters.
package struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    package init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// - Returns: `nil` if the route's pattern has no such parameter.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
