import JSON

/// Gives names to the objects that a document's schemas describe in place, after what they belong to:
/// generators of clients would otherwise invent names, which are different in each, and which can push
/// out the names of components.
struct SchemaNames {
    /// The components so far, by name.
    private(set) var schemas: [String: JSONValue] = [:]

    init(_ components: [String: JSONValue]) {
        schemas = components
        for name in components.keys.sorted() {
            schemas[name] = named(partsOf: components[name] ?? .null, name)
        }
    }

    /// A request's body or a response, with a component for its schema.
    ///
    /// - Parameter name: The component's name, if the schema isn't a component already.
    mutating func message(_ message: JSONValue, _ name: String) -> JSONValue {
        guard var content = message["content"]?.members else { return message }
        for (type, media) in content {
            var media = media.members
            if let schema = media["schema"] { media["schema"] = named(schema, name) }
            content[type] = .object(media)
        }
        var members = message.members
        members["content"] = .object(content)
        return .object(members)
    }

    /// A reference to the object's component, or `null` as well. Any other schema stays where it is, with
    /// names for its parts.
    private mutating func named(_ schema: JSONValue, _ name: String) -> JSONValue {
        var value = named(partsOf: schema, name)
        guard schema["properties"] != nil || schema["allOf"] != nil else { return value }
        let isNullable = schema["type"] == ["object", "null"]
        if isNullable { value = .object(value.members.merging(["type": "object"]) { $1 }) }
        // Two operations can have the same part.
        precondition(
            schemas[name] == nil || schemas[name] == value, "\(name) is two schemas")
        schemas[name] = value
        let reference: JSONValue = ["$ref": .string("#/components/schemas/\(name)")]
        guard isNullable else { return reference }
        var choice: [String: JSONValue] = ["anyOf": [reference, ["type": "null"]]]
        choice["description"] = value["description"]
        return .object(choice)
    }

    private mutating func named(partsOf schema: JSONValue, _ name: String) -> JSONValue {
        var members = schema.members
        guard !members.isEmpty else { return schema }
        if let properties = members["properties"]?.members {
            members["properties"] = .object(
                Dictionary(
                    uniqueKeysWithValues: properties.sorted { $0.key < $1.key }.map {
                        ($0.key, named($0.value, name + Self.capitalized($0.key)))
                    }))
        }
        if let items = members["items"] { members["items"] = named(items, name + "Item") }
        if let base = members["allOf"]?.elements {
            members["allOf"] = .array(base.map { named(partsOf: $0, name) })
        }
        return .object(members)
    }

    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
