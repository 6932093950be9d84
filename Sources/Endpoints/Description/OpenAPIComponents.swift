package import HTTPTypes
package import JSON

/// What the operations of the OpenAPI document have in common, collected while they are written.
package struct OpenAPIComponents {
    private let api: OpenAPI
    private var schemas: [String: JSONValue] = [:]
    private var parameters: [String: JSONValue] = [:]
    private var responses: [String: JSONValue] = [:]
    private var headers: [String: JSONValue] = [:]

    package init(_ api: OpenAPI) { self.api = api }

    package var value: JSONValue {
        [
            "schemas": .object(schemas), "parameters": .object(parameters),
            "responses": .object(responses), "headers": .object(headers),
            "securitySchemes": api.securitySchemes,
        ]
    }

    /// Makes components of the objects that are described in place.
    ///
    /// - Parameter paths: All operations, by path and method.
    package mutating func nameSchemas(_ paths: inout [String: [String: JSONValue]]) {
        var names = SchemaNames(schemas)
        for (path, item) in paths.sorted(by: { $0.key < $1.key }) {
            for (method, operation) in item.sorted(by: { $0.key < $1.key }) {
                var members = operation.members
                let id = SchemaNames.capitalized(operation["operationId"]?.text ?? "")
                if let body = members["requestBody"] {
                    members["requestBody"] = names.message(body, id + "Request")
                }
                members["responses"] = .object(
                    (members["responses"]?.members ?? [:]).mapValues {
                        names.message($0, id + "Response")
                    })
                paths[path]?[method] = .object(members)
            }
        }
        schemas = names.schemas
    }

    private static func reference(_ kind: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }

    // MARK: Schemas

    /// Adds a named schema, and the named schemas that it refers to.
    ///
    /// Stops the program if a different schema has the same name.
    package mutating func add(_ schema: Schema) {
        if let name = schema.name {
            let known = schemas.updateValue(.object(schema.keywords), forKey: name)
            precondition(
                known == nil || known == .object(schema.keywords), "\(name) is two schemas")
            guard known == nil else { return }
        }
        for part in schema.parts { add(part) }
    }

    // MARK: Parameters

    /// Adds a parameter. A number distinguishes different parameters with the same name. The names of
    /// components are identifiers, so that generators need not change them.
    package mutating func parameter(_ parameter: InputDescription.Parameter) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "description": .string(parameter.description),
            "schema": .object(parameter.schema.keywords), "example": parameter.schema.example,
        ]
        if parameter.isRequired { members["required"] = true }
        return add(
            .object(members), Self.identifier(parameter.name), to: \.parameters, "parameters")
    }

    // MARK: Headers

    package mutating func headers(_ fields: [HTTPField.Name]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for field in fields {
            let name = field.rawName
            guard let description = api.fields[field] else {
                preconditionFailure("\(name) is not described")
            }
            headers[Self.identifier(name)] = description.value
            members[name] = Self.reference("headers", Self.identifier(name))
        }
        return .object(members)
    }

    // MARK: Problems

    /// Adds the response for kinds of problems that share a status.
    package mutating func problems(_ kinds: [ProblemKind], of kind: AddressKind) -> JSONValue {
        let (name, value) =
            switch kind {
            case .plainAPI where !kinds.contains { $0.isBeforeRouting }:
                if let errors = api.plainErrors {
                    plainError(kinds, errors)
                } else {
                    problem(kinds)
                }
            case .file where !kinds.contains { $0.isBeforeRouting }: errorPage(kinds)
            default: problem(kinds)
            }
        return add(value, name, to: \.responses, "responses")
    }

    /// Adds a component. A number distinguishes those with the same name.
    private mutating func add(
        _ value: JSONValue, _ name: String,
        to components: WritableKeyPath<Self, [String: JSONValue]>,
        _ kind: String
    ) -> JSONValue {
        var unique = name
        var count = 1
        while let known = self[keyPath: components][unique], known != value {
            count += 1
            unique = "\(name)\(count)"
        }
        self[keyPath: components][unique] = value
        return Self.reference(kind, unique)
    }

    private static func identifier(_ name: String) -> String { name.replacing("-", with: "") }

    /// The name of the response for kinds that share a status: of the kind or, if there are more, of the
    /// status.
    private static func componentName(_ kinds: [ProblemKind]) -> String {
        kinds.count == 1 ? kinds[0].componentName : "Problem\(kinds[0].status.code)"
    }

    /// Adds the schema of problem documents, with the names of all kinds.
    private mutating func addProblem() {
        var problem = Self.naming(api.problems.map(\.name), Problem.representation.schema)
        problem.parts = []
        add(problem)
        add(Self.naming(api.faults.map(\.name), Problem.memberError.schema))
    }

    /// A schema with the values of its member `kind`, which only the application knows all.
    private static func naming(_ kinds: [String], _ schema: Schema) -> Schema {
        var schema = schema
        var properties = schema.keywords["properties"]?.members ?? [:]
        var kind = properties["kind"]?.members ?? [:]
        kind[Schema.knownValuesKey] = .array(kinds.map { .string($0) })
        properties["kind"] = .object(kind)
        schema.keywords["properties"] = .object(properties)
        return schema
    }

    private mutating func problem(_ kinds: [ProblemKind]) -> (String, JSONValue) {
        addProblem()
        let links = kinds.map(\.link).joined(separator: ", ")
        return (
            Self.componentName(kinds),
            [
                "description": .string("\(Self.summary(kinds)) Kinds: \(links)."),
                "headers": headers(Self.fields(of: kinds)),
                "content": [
                    "application/problem+json": Self.content(kinds)
                ],
            ]
        )
    }

    private static func content(_ kinds: [ProblemKind]) -> JSONValue {
        [
            "schema": Problem.representation.schema.reference,
            "examples": .object(
                Dictionary(
                    uniqueKeysWithValues: kinds.map { ($0.name, ["value": $0.example]) })),
        ]
    }

    private mutating func plainError(
        _ kinds: [ProblemKind], _ errors: OpenAPI.PlainErrors
    ) -> (String, JSONValue) {
        add(errors.schema)
        let name = errors.prefix + Self.componentName(kinds)
        let detail = JSONValue.string(kinds[0].exampleDetail)
        var contents: [String: JSONValue] = [
            "application/json": [
                "schema": errors.schema.reference, "example": errors.example(kinds[0]),
            ],
            "text/plain": [
                "schema": [
                    "type": "string", "description": "For GET and HEAD: what is wrong, in words.",
                ],
                "example": detail,
            ],
        ]
        // Even here, a request that is not valid HTTP gets a problem document.
        if kinds.contains(.badRequest) {
            addProblem()
            contents["application/problem+json"] = Self.content([.badRequest])
        }
        return (
            name,
            [
                "description": .string(Self.summary(kinds)),
                "headers": headers(Self.fields(of: kinds)), "content": .object(contents),
            ]
        )
    }

    private mutating func errorPage(_ kinds: [ProblemKind]) -> (String, JSONValue) {
        (
            "ErrorPage" + Self.componentName(kinds),
            [
                "description": .string("\(Self.summary(kinds)) A page says why."),
                "headers": headers([.cacheControl, .xRequestID]),
                "content": [
                    "text/html": [
                        "schema": ["type": "string", "description": "A page."],
                        "example": "<!doctype html><title>Bad request</title>",
                    ]
                ],
            ]
        )
    }

    private static func summary(_ kinds: [ProblemKind]) -> String {
        kinds.map(\.summary).joined(separator: " ")
    }

    private static func fields(of kinds: [ProblemKind]) -> [HTTPField.Name] {
        let own = kinds.flatMap(\.fields)
        guard !kinds.contains(where: \.isBeforeRouting) else {
            return own + [.cacheControl, .xRequestID]
        }
        return own + [.cacheControl, .vary, .rateLimit, .rateLimitPolicy, .xRequestID]
    }
}

extension ProblemKind {
    /// The name of the kind's component, such as `NotFound`.
    fileprivate var componentName: String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
