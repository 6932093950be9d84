import JSON

extension JSONValue {
    /// As a JSON text, with the members of objects in the order of their names.
    var written: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .string(let text): Self.quote(text)
        case .array(let elements): "[\(elements.map(\.written).joined(separator: ","))]"
        case .object(let members): Self.write(members)
        }
    }

    private static func write(_ members: [String: JSONValue]) -> String {
        let parts = members.sorted { $0.key < $1.key }.map {
            "\(quote($0.key)):\($0.value.written)"
        }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
