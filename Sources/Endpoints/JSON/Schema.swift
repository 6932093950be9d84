public import JSON

/// A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) and an example of what it allows.
public struct Schema: Sendable {
    /// The schema's name among the document's components; `nil` for a schema written in place.
    package var name: String?
    package var keywords: [String: JSONValue]
    package var example: JSONValue
    /// The unit or format of this type, added to the end of every member's description.
    package var note: String?
    /// The schemas that the keywords refer to.
    package var parts: [Schema] = []
    /// Whether the value is known to one person only, who proves something with it. A page never shows
    /// it again.
    package var isSecret = false

    package init(
        _ keywords: [String: JSONValue], example: JSONValue, note: String? = nil,
        parts: [Schema] = []
    ) {
        self.keywords = keywords
        self.example = example
        self.note = note
        self.parts = parts
    }

    package init(
        _ name: String?, _ keywords: [String: JSONValue], example: JSONValue,
        parts: [Schema] = []
    ) {
        self.init(keywords, example: example, parts: parts)
        self.name = name
    }

    /// The JSON that represents the schema where it is used: a reference, or the schema itself.
    package var reference: JSONValue {
        name.map { ["$ref": "#/components/schemas/\($0)"] } ?? .object(keywords)
    }

    /// The schema as it is written for a member or an element.
    ///
    /// - Parameter description: `nil` if the schema's own description is enough.
    package func described(_ description: String?) -> JSONValue {
        let sentences = [description, name == nil ? note : nil].compactMap { $0 }
        guard !sentences.isEmpty else { return reference }
        var members = reference.members
        members["description"] = .string(sentences.joined(separator: " "))
        return .object(members)
    }

    /// The same schema with another example.
    public func example(_ example: JSONValue?) -> Schema {
        var schema = self
        schema.example = example ?? self.example
        return schema
    }

    /// The same schema, which also allows `null`. A named schema of anything but an object is then
    /// written in place.
    package var nullable: Schema {
        if name != nil, keywords["allOf"] != nil || keywords["type"] == "object" {
            return Schema(
                ["anyOf": [reference, ["type": "null"]]], example: example, parts: [self])
        }
        var schema = self
        schema.name = nil
        guard let type = keywords["type"] else { return schema }
        schema.keywords["type"] = [type, "null"]
        if case .array(let values) = keywords["enum"] {
            schema.keywords["enum"] = .array(values + [.null])
        }
        return schema
    }

    // MARK: Types

    package static func boolean(example: Bool) -> Schema {
        Schema(["type": "boolean"], example: .bool(example))
    }

    package static func integer(_ range: ClosedRange<Int>, example: Int) -> Schema {
        Schema(
            [
                "type": "integer", "minimum": .int(range.lowerBound),
                "maximum": .int(range.upperBound),
            ], example: .int(example))
    }

    package static func integer(_ range: PartialRangeFrom<Int>, example: Int) -> Schema {
        Schema(
            ["type": "integer", "minimum": .int(range.lowerBound)], example: .int(example))
    }

    /// - Parameters:
    ///   - length: In Unicode scalars, as JSON Schema counts.
    ///   - pattern: An ECMA-262 regular expression.
    package static func text(
        _ length: ClosedRange<Int>? = nil, pattern: String? = nil, example: String
    ) -> Schema {
        var keywords: [String: JSONValue] = ["type": "string"]
        if let length {
            if length.lowerBound > 0 { keywords["minLength"] = .int(length.lowerBound) }
            keywords["maxLength"] = .int(length.upperBound)
        }
        if let pattern { keywords["pattern"] = .string(pattern) }
        return Schema(keywords, example: .string(example))
    }

    package static func text(_ length: PartialRangeFrom<Int>, example: String) -> Schema {
        Schema(
            ["type": "string", "minLength": .int(length.lowerBound)], example: .string(example))
    }

    /// - Parameter format: A format that OpenAPI or JSON Schema defines.
    package static func text(format: String, example: String) -> Schema {
        Schema(["type": "string", "format": .string(format)], example: .string(example))
    }

    /// Always the same string. Unlike an `enum`, it makes no type in clients.
    package static func constant(_ text: String) -> Schema {
        Schema(["type": "string", "const": .string(text)], example: .string(text))
    }

    /// One of a few strings: any other is refused.
    package static func values(_ values: [String]) -> Schema {
        Schema(
            ["type": "string", "enum": .array(values.map { .string($0) })],
            example: values.first.map { .string($0) } ?? .null)
    }

    /// A string that is one of these now. There may be others in later versions, so an `enum`, which would
    /// make clients reject them, says too much. An `anyOf` of it and any string makes generators invent
    /// types for nothing.
    package static func knownValues(_ values: [String]) -> Schema {
        Schema(
            ["type": "string", knownValuesKey: .array(values.map { .string($0) })],
            example: values.first.map { .string($0) } ?? .null)
    }

    /// Generators that know it make an enumeration that takes other values, too.
    package static let knownValuesKey = "x-extensible-enum"

    package static func array(
        of element: Schema, _ description: String? = nil, atMost limit: Int? = nil
    ) -> Schema {
        var keywords: [String: JSONValue] = [
            "type": "array", "items": element.described(description),
        ]
        if let limit { keywords["maxItems"] = .int(limit) }
        return Schema(keywords, example: [element.example], parts: [element])
    }

    // MARK: Objects

    public struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let description: String?
        package let isRequired: Bool

        @usableFromInline init(
            name: String, schema: Schema, description: String?, isRequired: Bool
        ) {
            self.name = name
            self.schema = schema
            self.description = description
            self.isRequired = isRequired
        }
    }

    /// - Parameter base: A named schema whose members the object also has.
    public static func object(
        _ name: String? = nil, _ description: String?, extending base: Schema? = nil,
        _ members: [Member], isClosed: Bool = false
    ) -> Schema {
        var own: [String: JSONValue] = [
            "type": "object",
            "properties": .object(
                Dictionary(
                    uniqueKeysWithValues: members.map {
                        ($0.name, $0.schema.described($0.description))
                    })),
            "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
        ]
        if isClosed { own["additionalProperties"] = false }
        var example = base?.example.members ?? [:]
        for member in members { example[member.name] = member.schema.example }
        var keywords = own
        if let base { keywords = ["allOf": [base.reference, .object(own)]] }
        if let description { keywords["description"] = .string(description) }
        return Schema(
            name, keywords, example: .object(example),
            parts: members.map(\.schema) + [base].compactMap { $0 })
    }
}
