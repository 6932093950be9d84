import JSON
import TestSupport
import Testing

/// Holds responses of a server against what the OpenAPI document says of them.
struct APIContract {
    let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument.load() }

    /// - Returns: What a response to an operation has that the document does not say, and the other
    ///   way round.
    func faults(of response: RawResponse, _ operationID: String) throws -> [String] {
        let operation = try document.operation(operationID)
        guard let documented = operation.value["responses"]?["\(response.status)"] else {
            return ["\(operation.name): \(response.status) is not described"]
        }
        return try faults(of: response, documented: documented)
            .map { "\(operation.name) \(response.status): \($0)" }
    }

    /// - Parameter name: Of a response that is described for any address.
    func faults(of response: RawResponse, sharedResponse name: String) throws -> [String] {
        try faults(
            of: response, documented: document.root["components"]?["responses"]?[name] ?? .null)
    }

    private func faults(of response: RawResponse, documented: JSONValue) throws -> [String] {
        let documented = document.resolve(documented)
        return headerFaults(response, documented) + (try bodyFaults(response, documented))
    }

    private func headerFaults(_ response: RawResponse, _ documented: JSONValue) -> [String] {
        let described = documented["headers"]?.members ?? [:]
        var faults: [String] = []
        for (name, reference) in document.root["components"]?["headers"]?.members ?? [:] {
            guard let value = response[name] else {
                if described[name] != nil, reference["required"] == .bool(true) {
                    faults.append("\(name) is missing")
                }
                continue
            }
            guard described[name] != nil else {
                faults.append("\(name) is not described: \(value)")
                continue
            }
            let schema = reference["schema"] ?? .null
            let parsed: JSONValue =
                if schema["type"]?.text == "integer", let number = Int(value) {
                    .int(number)
                } else {
                    .string(value)
                }
            faults += JSONSchema(document: document).faults(of: parsed, schema, at: name)
        }
        return faults
    }

    private func bodyFaults(_ response: RawResponse, _ documented: JSONValue) throws -> [String] {
        let contents = documented["content"]?.members ?? [:]
        guard let field = response["content-type"] else {
            return contents.isEmpty && response.bytes.isEmpty ? [] : ["it has no type"]
        }
        let type = String(field.prefix { $0 != ";" })
        guard let content = contents[type] else { return ["\(type) is not described"] }
        let body: JSONValue =
            type.hasSuffix("json")
            ? try JSONParser.parse(response.bytes) : .string(response.text)
        var schema = JSONSchema(document: document)
        schema.isClosed = true
        return schema.faults(of: body, content["schema"] ?? .null)
    }
}
