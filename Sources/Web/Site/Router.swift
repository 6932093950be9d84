import HTTPTypes

/// Finds the handler of a request's method and path in a table that is fixed at start.
///
/// A pattern is a path whose segments are literal (`platforms`), a parameter (`{platform}`), or a
/// parameter behind a literal beginning (`@{username}`). At each segment a literal is preferred to a
/// beginning and that to a parameter; there is no going back, so a path has one meaning.
struct Router<Handler: Sendable>: Sendable {
    enum Match: Sendable {
        case found(Handler, PathParameters)
        /// No path at all has this method: RFC 9110 section 9.1.
        case methodNotImplemented
        /// The path exists, but not for this method. RFC 9110 section 15.5.6 wants them in Allow.
        case methodNotAllowed(allowed: [HTTPRequest.Method])
        case notFound
    }

    private var root = Node()
    /// Those that any path has. Every server must have the first two, and we answer OPTIONS for all.
    private var methods: Set<HTTPRequest.Method> = [.get, .head, .options]

    init() {}

    /// Adds a route. A GET route also answers HEAD.
    ///
    /// Stops the program if the pattern is malformed or there is such a route already: the table is
    /// part of the program.
    mutating func add(_ method: HTTPRequest.Method, _ pattern: String, _ handler: Handler) {
        precondition(pattern.hasPrefix("/"), "\(pattern) does not begin with a slash")
        let segments =
            pattern == "/"
            ? []
            : pattern.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false
            ).map(String.init)
        methods.insert(method)
        var names: [String] = []
        root.insert(segments[...], names: &names) { node, names in
            precondition(
                node.routes[method] == nil, "\(method.rawValue) \(pattern) is declared twice")
            node.routes[method] = Route(handler: handler, names: names)
        }
    }

    /// - Parameter segments: The path's, decoded.
    func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        guard methods.contains(method) else { return .methodNotImplemented }
        var node = root
        var values: [String] = []
        for segment in segments {
            if let child = node.literals[segment] {
                node = child
            } else if let (prefix, child) = node.beginning?.first, segment.hasPrefix(prefix),
                segment.count > prefix.count
            {
                values.append(String(segment.dropFirst(prefix.count)))
                node = child
            } else if let child = node.parameter?.first, !segment.isEmpty {
                values.append(segment)
                node = child
            } else {
                return .notFound
            }
        }
        guard !node.routes.isEmpty else { return .notFound }
        let route = node.routes[method] ?? (method == .head ? node.routes[.get] : nil)
        guard let route else { return .methodNotAllowed(allowed: node.allowedMethods) }
        return .found(route.handler, PathParameters(names: route.names, values: values))
    }

    private struct Route: Sendable {
        let handler: Handler
        let names: [String]
    }

    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        /// None or one; an array because a struct cannot hold itself.
        var beginning: [(prefix: String, node: Node)]?
        var parameter: [Node]?
        var routes: [HTTPRequest.Method: Route] = [:]

        var allowedMethods: [HTTPRequest.Method] {
            var methods = Set(routes.keys)
            if methods.contains(.get) { methods.insert(.head) }
            methods.insert(.options)
            return methods.sorted { $0.rawValue < $1.rawValue }
        }

        mutating func insert(
            _ segments: ArraySlice<String>, names: inout [String],
            _ set: (inout Node, [String]) -> Void
        ) {
            guard let segment = segments.first else { return set(&self, names) }
            let rest = segments.dropFirst()
            guard segment.hasSuffix("}"), let open = segment.firstIndex(of: "{") else {
                precondition(!segment.contains { "{}".contains($0) }, "\(segment) is malformed")
                literals[segment, default: Node()].insert(rest, names: &names, set)
                return
            }
            names.append(String(segment[segment.index(after: open)...].dropLast()))
            let prefix = String(segment[..<open])
            if prefix.isEmpty {
                var children = parameter ?? [Node()]
                children[0].insert(rest, names: &names, set)
                parameter = children
            } else {
                var children = beginning ?? [(prefix, Node())]
                precondition(children[0].prefix == prefix, "two beginnings at one place")
                children[0].node.insert(rest, names: &names, set)
                beginning = children
            }
        }
    }
}

/// The values of a pattern's parameters.
struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    init(names: [String], values: [String]) {
        self.names = names
        self.values = values
    }

    /// - Returns: `nil` if the route's pattern has no such parameter.
    subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
