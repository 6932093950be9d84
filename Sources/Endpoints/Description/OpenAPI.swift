package import HTTPTypes
package import JSON

/// The OpenAPI document of an API, made from its routes and from what the application says about them.
package struct OpenAPI: Sendable {
    /// The document's `info`.
    package let information: JSONValue
    /// The address that the paths are relative to, with scheme and host: generated clients have no other.
    package let server: String
    /// What operations are about, in order.
    package let tags: [APIOperation.Tag]
    /// What the application sends to others.
    package let webhooks: [Webhook]
    /// All kinds of problems in the application's words, in order.
    package let problems: [ProblemKind]
    /// All kinds of errors in bodies.
    package let faults: [FaultKind]
    /// The header fields of responses.
    package let fields: [HTTPField.Name: ResponseField]
    /// How clients authenticate: the schemes `bearer`, and `personalToken` if there are tokens with
    /// scopes.
    package let securitySchemes: JSONValue
    /// The errors of addresses of the kind `plainAPI`; `nil` if there are none.
    package let plainErrors: PlainErrors?

    /// Errors that are plain text for GET and HEAD, and objects otherwise.
    package struct PlainErrors: Sendable {
        /// What the names of their components begin with.
        package let prefix: String
        /// Of the objects.
        package let schema: Schema
        package let example: @Sendable (ProblemKind) -> JSONValue

        package init(
            prefix: String, schema: Schema,
            example: @escaping @Sendable (ProblemKind) -> JSONValue
        ) {
            self.prefix = prefix
            self.schema = schema
            self.example = example
        }
    }

    /// A request that the application sends to an address that someone has given it.
    package struct Webhook: Sendable {
        fileprivate let name: String
        fileprivate let tag: APIOperation.Tag
        fileprivate let summary: String
        fileprivate let description: String?
        /// Of the body.
        fileprivate let schema: Schema

        package init(
            name: String, tag: APIOperation.Tag, summary: String, description: String?,
            _ schema: Schema
        ) {
            self.name = name
            self.tag = tag
            self.summary = summary
            self.description = description
            self.schema = schema
        }

        /// Such as `CircleRenamed` for "circle.renamed".
        fileprivate var componentName: String {
            let words = name.split { !$0.isLetter && !$0.isNumber }
            return words.map { SchemaNames.capitalized(String($0)) }.joined()
        }

        /// Generators of clients leave out a webhook that is a component. Otherwise some make functions that
        /// send it, and that don't even compile in Python.
        fileprivate var reference: JSONValue {
            ["$ref": .string("#/components/pathItems/\(componentName)")]
        }

        fileprivate var value: JSONValue {
            var members: [String: JSONValue] = [
                "operationId": .string("on" + componentName),
                "tags": [.string(tag.name)],
                "summary": .string(summary),
                "requestBody": [
                    "required": true,
                    "content": [
                        "application/json": [
                            "schema": schema.reference, "example": schema.example,
                        ]
                    ],
                ],
                "responses": [
                    "2XX": ["description": "Received. After any other, it is sent again."]
                ],
            ]
            if let description { members["description"] = .string(description) }
            return ["post": .object(members)]
        }
    }

    package init(
        information: JSONValue, server: String, tags: [APIOperation.Tag], webhooks: [Webhook] = [],
        problems: [ProblemKind], faults: [FaultKind] = FaultKind.ofEveryBody,
        fields: [HTTPField.Name: ResponseField],
        securitySchemes: JSONValue,
        plainErrors: PlainErrors? = nil
    ) {
        self.information = information
        self.server = server
        self.tags = tags
        self.webhooks = webhooks
        self.problems = problems
        self.faults = faults
        self.fields = fields
        self.securitySchemes = securitySchemes
        self.plainErrors = plainErrors
    }

    package func document<Services>(_ routes: [Route<Services>]) -> JSONValue {
        let routes = routes.filter { $0.operation != nil }
        var components = OpenAPIComponents(self)
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes {
            paths[route.pattern, default: [:]][route.method.rawValue.lowercased()] =
                OpenAPIOperation(route, problems).value(&components)
        }
        for kind in ProblemKind.ofEveryAddress { _ = components.problems([kind], of: .api) }
        for webhook in webhooks { components.add(webhook.schema) }
        components.nameSchemas(&paths)
        return [
            "openapi": "3.1.0",
            "info": information,
            "servers": [["url": .string(server)]],
            "tags": .array(
                tags.map { ["name": .string($0.name), "description": .string($0.description)] }),
            "paths": .object(paths.mapValues { .object($0) }),
            "webhooks": .object(
                Dictionary(uniqueKeysWithValues: webhooks.map { ($0.name, $0.reference) })),
            "components": .object(
                components.value.members.merging([
                    "pathItems": .object(
                        Dictionary(
                            uniqueKeysWithValues: webhooks.map { ($0.componentName, $0.value) }))
                ]) { $1 }),
        ]
    }
}
