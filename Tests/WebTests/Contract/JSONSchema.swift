import Endpoints
import Foundation
import JSON

/// Checks values against the part of JSON Schema that our OpenAPI document uses. A keyword that is
/// not known here is a fault, so that nothing is taken for checked that is not.
struct JSONSchema {
    let document: OpenAPIDocument
    /// Whether members that no schema describes are faults. Clients must not mind new ones; our own
    /// responses have none that the document does not know.
    var isClosed = false

    /// - Returns: What is wrong with a value, each with its JSON pointer.
    func faults(of value: JSONValue, _ schema: JSONValue, at pointer: String = "") -> [String] {
        let schema = document.resolve(schema)
        var faults = openFaults(of: value, schema, pointer)
        let known = names(schema)
        if schema["additionalProperties"] == .bool(false) || isClosed && !known.isEmpty {
            faults += value.members.keys.filter { !known.contains($0) }
                .map { "\(pointer)/\($0) is not described" }
        }
        return faults
    }

    /// All but members that no schema describes: the parts of a schema know only their own.
    private func openFaults(
        of value: JSONValue, _ schema: JSONValue, _ pointer: String
    ) -> [String] {
        let schema = document.resolve(schema)
        var faults = unknownKeywords(schema, pointer)
        faults += (schema["allOf"]?.elements ?? []).flatMap {
            openFaults(of: value, $0, pointer)
        }
        if let choices = schema["anyOf"]?.elements {
            let found = choices.map { self.faults(of: value, $0, at: pointer) }
            if !found.contains([]) { faults += found[0] }
        }
        if let types = types(schema), !types.contains(where: { value.is($0) }) {
            return faults + ["\(pointer) is \(value.kind), not \(types.joined(separator: " or "))"]
        }
        if let constant = schema["const"], value != constant {
            faults.append("\(pointer) is not \(constant)")
        }
        // Clients must not mind others, but our own responses have no others.
        let known = isClosed && value != .null ? schema[Schema.knownValuesKey] : nil
        if let values = (schema["enum"] ?? known)?.elements, !values.contains(value) {
            faults.append("\(pointer) is none of \(values)")
        }
        switch value {
        case .object(let members): faults += self.faults(of: members, schema, pointer)
        case .array(let elements): faults += self.faults(of: elements, schema, pointer)
        case .string(let text): faults += self.faults(of: text, schema, pointer)
        case .int(let number): faults += self.faults(of: number, schema, pointer)
        case .null, .bool, .double: break
        }
        return faults
    }

    private static let keywords: Set<String> = [
        "$ref", "type", "description", "properties", "required", "additionalProperties", "items",
        "enum", "const", "allOf", "anyOf", "format", "pattern", "minimum", "maximum", "minLength",
        "maxLength",
        "minItems", "maxItems", "default", "examples", Schema.knownValuesKey,
    ]

    private func unknownKeywords(_ schema: JSONValue, _ pointer: String) -> [String] {
        schema.members.keys.filter { !Self.keywords.contains($0) }.map {
            "\(pointer): the keyword \($0) is not checked"
        }
    }

    private func types(_ schema: JSONValue) -> [String]? {
        guard let type = schema["type"] else { return nil }
        return type.text.map { [$0] } ?? type.elements.compactMap(\.text)
    }

    private func faults(
        of members: [String: JSONValue], _ schema: JSONValue, _ pointer: String
    ) -> [String] {
        let properties = schema["properties"]?.members ?? [:]
        var faults = (schema["required"]?.elements ?? []).compactMap(\.text)
            .filter { members[$0] == nil }.map { "\(pointer)/\($0) is missing" }
        for (name, value) in members {
            if let property = properties[name] {
                faults += self.faults(of: value, property, at: "\(pointer)/\(name)")
            }
        }
        return faults
    }

    /// Of the members that a schema describes, with those of its parts.
    private func names(_ schema: JSONValue) -> Set<String> {
        let schema = document.resolve(schema)
        return (schema["allOf"]?.elements ?? []).reduce(
            into: Set((schema["properties"]?.members ?? [:]).keys)
        ) { $0.formUnion(names($1)) }
    }

    private func faults(
        of elements: [JSONValue], _ schema: JSONValue, _ pointer: String
    ) -> [String] {
        var faults = bounds(elements.count, schema, "Items", pointer)
        if let items = schema["items"] {
            for (index, element) in elements.enumerated() {
                faults += self.faults(of: element, items, at: "\(pointer)/\(index)")
            }
        }
        return faults
    }

    private func faults(of text: String, _ schema: JSONValue, _ pointer: String) -> [String] {
        var faults = bounds(text.unicodeScalars.count, schema, "Length", pointer)
        if let pattern = schema["pattern"]?.text {
            let isMatch = (try? Regex(pattern))?.firstMatchIn(text) ?? false
            if !isMatch { faults.append("\(pointer) does not match \(pattern): \(text)") }
        }
        if let format = schema["format"]?.text, !Self.has(format, text) {
            faults.append("\(pointer) is no \(format): \(text)")
        }
        return faults
    }

    private static func has(_ format: String, _ text: String) -> Bool {
        switch format {
        case "uuid": UUID(uuidString: text) != nil
        case "date-time":
            text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
        case "email": text.wholeMatch(of: /[^@\s]+@[^@\s]+/) != nil
        case "uri": URL(string: text)?.scheme != nil
        case "uri-reference": URL(string: text) != nil
        default: false
        }
    }

    private func faults(of number: Int, _ schema: JSONValue, _ pointer: String) -> [String] {
        var faults: [String] = []
        if let least = schema["minimum"]?.integer, number < least {
            faults.append("\(pointer) is less than \(least)")
        }
        if let most = schema["maximum"]?.integer, number > most {
            faults.append("\(pointer) is more than \(most)")
        }
        return faults
    }

    private func bounds(
        _ count: Int, _ schema: JSONValue, _ unit: String, _ pointer: String
    ) -> [String] {
        var faults: [String] = []
        if let least = schema["min\(unit)"]?.integer, count < least {
            faults.append("\(pointer) has fewer than \(least)")
        }
        if let most = schema["max\(unit)"]?.integer, count > most {
            faults.append("\(pointer) has more than \(most)")
        }
        return faults
    }
}

extension Regex<AnyRegexOutput> {
    fileprivate func firstMatchIn(_ text: String) -> Bool { (try? firstMatch(in: text)) != nil }
}

extension JSONValue {
    fileprivate func `is`(_ type: String) -> Bool {
        switch (self, type) {
        case (.null, "null"), (.bool, "boolean"), (.int, "integer"), (.int, "number"),
            (.double, "number"), (.string, "string"), (.array, "array"), (.object, "object"):
            true
        default: false
        }
    }
}
