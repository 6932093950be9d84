import JSON

/// Reads the parts of an OpenAPI document for its page.
struct APIReferenceReader {
    let document: JSONValue

    private static let methods = ["get", "post", "put", "patch", "delete"]

    var operations: [(tag: String, operation: APIReference.Operation)] {
        let paths = (document["paths"]?.members ?? [:]).sorted { $0.key < $1.key }
        return paths.flatMap { path, item in
            Self.methods.compactMap { method in
                item[method].map { operation in
                    (
                        operation["tags"]?.elements.first?.text ?? "",
                        self.operation(method, path, operation)
                    )
                }
            }
        }
    }

    private func operation(
        _ method: String, _ path: String, _ operation: JSONValue
    ) -> APIReference.Operation {
        let parameters = (operation["parameters"]?.elements ?? []).map { reference in
            let parameter = resolve(reference)
            return member(parameter["name"]?.text ?? "", parameter, in: parameter["in"]?.text)
        }
        let responses = (operation["responses"]?.members ?? [:]).sorted { $0.key < $1.key }
        return APIReference.Operation(
            id: operation["operationId"]?.text ?? "", method: method.uppercased(), path: path,
            summary: operation["summary"]?.text ?? "",
            description: operation["description"]?.text.map { Prose($0) },
            needsToken: operation["security"] != nil, parameters: parameters,
            body: operation["requestBody"].map(body),
            responses: responses.filter { $0.value["$ref"] == nil }.map(response),
            errors: responses.compactMap { status, response in
                name(response).map { APIReference.ErrorLink(status: status, name: $0) }
            })
    }

    private func body(_ body: JSONValue) -> APIReference.Body {
        let content = body["content"]?.members.values.first ?? .null
        let schema = content["schema"] ?? .null
        let members = schema["$ref"] == nil ? members(schema) : []
        return APIReference.Body(
            type: members.isEmpty ? type(schema) : nil, members: members,
            example: content["example"]?.indented())
    }

    private func response(_ status: String, _ response: JSONValue) -> APIReference.Response {
        let contents = response["content"]?.members ?? [:]
        let content = contents["application/json"] ?? contents.values.first
        let schema = content?["schema"]
        let members = schema.flatMap { $0["$ref"] == nil ? self.members($0) : nil } ?? []
        let headers = (response["headers"]?.members ?? [:]).keys.sorted()
        return APIReference.Response(
            status: status, description: Prose(response["description"]?.text ?? ""),
            type: members.isEmpty ? schema.map(type) : nil, members: members,
            headers: headers.isEmpty ? nil : headers.joined(separator: ", "),
            example: content?["example"]?.indented())
    }

    func sharedResponse(_ name: String, _ response: JSONValue) -> APIReference.SharedResponse {
        let content = response["content"]?.members.sorted { $0.key < $1.key }.first?.value
        let examples = (content?["examples"]?.members ?? [:]).sorted { $0.key < $1.key }
        return APIReference.SharedResponse(
            name: name, description: Prose(response["description"]?.text ?? ""),
            example: (content?["example"] ?? examples.first?.value["value"])?.indented())
    }

    func member(
        _ name: String, _ member: JSONValue, in place: String?
    ) -> APIReference.Member {
        APIReference.Member(
            name: name, place: place, isRequired: member["required"] == .bool(true),
            type: type(member["schema"] ?? .null),
            description: member["description"]?.text.map { Prose($0) },
            example: member["example"].map { $0.text ?? $0.indented() })
    }

    func schema(_ name: String, _ schema: JSONValue) -> APIReference.Schema {
        let members = members(schema)
        return APIReference.Schema(
            name: name, description: schema["description"]?.text.map { Prose($0) },
            type: members.isEmpty ? type(schema) : nil, members: members)
    }

    /// The members of an object, with those of the schemas that it is composed of.
    private func members(_ schema: JSONValue) -> [APIReference.Member] {
        let schema = resolve(schema)
        let inherited = (schema["allOf"]?.elements ?? []).flatMap(members)
        let properties = schema["properties"]?.members ?? [:]
        let required = (schema["required"]?.elements ?? []).compactMap(\.text)
        // Parsing JSON loses the order of an object's members, but not that of the list of required
        // members.
        let optional = properties.keys.filter { !required.contains($0) }.sorted()
        let own = (required + optional).compactMap { name in
            properties[name].map { property in
                APIReference.Member(
                    name: name, place: nil, isRequired: required.contains(name),
                    type: type(property),
                    description: property["description"]?.text.map { Prose($0) }, example: nil)
            }
        }
        let inner = (required + optional).flatMap { name -> [APIReference.Member] in
            guard let property = properties[name], property["$ref"] == nil else { return [] }
            let isArray = property["items"] != nil
            let schema = property["items"] ?? property
            guard schema["$ref"] == nil else { return [] }
            return members(schema).map { $0.inside(name + (isArray ? "[]" : "")) }
        }
        return inherited + own + inner
    }

    private func name(_ reference: JSONValue) -> String? {
        reference["$ref"]?.text?.split(separator: "/").last.map(String.init)
    }

    private func resolve(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        var found = document
        for key in reference.split(separator: "/").dropFirst() {
            found = found[String(key)] ?? .null
        }
        return found
    }

    private func type(_ schema: JSONValue) -> APIReference.TypeName {
        if let name = name(schema) {
            return APIReference.TypeName(text: name, href: "#\(name)")
        }
        if let choices = schema["anyOf"]?.elements.map(type) {
            return APIReference.TypeName(
                text: choices.map(\.text).joined(separator: " or "), href: choices.first?.href)
        }
        if let items = schema["items"] {
            let item = type(items)
            let most = schema["maxItems"]?.integer.map { ", at most \($0)" } ?? ""
            return APIReference.TypeName(text: "array of \(item.text)\(most)", href: item.href)
        }
        var text = names(schema) + bounds(schema)
        if let value = schema["default"] { text += ", default \(value.indented())" }
        return APIReference.TypeName(text: text, href: nil)
    }

    private func names(_ schema: JSONValue) -> String {
        if let constant = schema["const"]?.text { return constant }
        let known = schema["enum"] ?? schema["x-extensible-enum"]
        let values = known?.elements.compactMap(\.text) ?? []
        guard values.isEmpty else { return values.joined(separator: ", ") }
        let types =
            [schema["type"]?.text].compactMap { $0 }
            + (schema["type"]?.elements.compactMap(\.text) ?? [])
        let format = schema["format"]?.text.map { " (\($0))" } ?? ""
        return types.joined(separator: " or ") + format
    }

    private func bounds(_ schema: JSONValue) -> String {
        var text = ""
        switch (schema["minimum"]?.integer, schema["maximum"]?.integer) {
        case (let low?, let high?): text += " from \(low) to \(high)"
        case (let low?, nil): text += ", at least \(low)"
        default: break
        }
        switch (schema["minLength"]?.integer, schema["maxLength"]?.integer) {
        case (let low?, let high?): text += ", \(low) to \(high) characters"
        case (nil, let high?): text += ", at most \(high) characters"
        default: break
        }
        if let pattern = schema["pattern"]?.text { text += ", \(pattern)" }
        return text
    }
}

extension APIReference.Member {
    /// The same member, prefixed with the name of the enclosing member.
    fileprivate func inside(_ outer: String) -> APIReference.Member {
        APIReference.Member(
            name: "\(outer).\(name)", place: place, isRequired: isRequired, type: type,
            description: description, example: example)
    }
}
