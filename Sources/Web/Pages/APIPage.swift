import HTTP
import JSON

/// The OpenAPI document, and the same for people to read.
enum APIPage {
    struct Model: Sendable {
        let page: PageModel
        let reference: APIReference
    }

    @Sendable
    static func document(_ call: Call) throws -> Response {
        try AssetLibrary.serve("openapi.json", to: call)
    }

    static func show(_ call: Call) throws -> Response {
        let document = try JSONParser.parse(call.services.assets.contents("openapi.json") ?? [])
        let page = PageModel(
            "JSON API", description: "Every address of the JSON API, and what it takes and gives.",
            path: "/api", json: "/api/v1/openapi.json", context: call.context)
        let model = Model(page: page, reference: APIReference(document))
        return try Response.html(call.services.views.render(.api, model))
            .conditional(for: call.request)
    }
}

/// An OpenAPI document as its page shows it.
struct APIReference: Sendable {
    struct Group: Sendable {
        let name: String
        let operations: [Operation]
    }

    struct Operation: Sendable {
        let id: String
        let method: String
        let path: String
        let summary: String
        let description: String?
        let needsToken: Bool
        let parameters: [Member]
        let hasParameters: Bool
        let body: [Member]
        let hasBody: Bool
        let answers: [Answer]
    }

    struct Answer: Sendable {
        let status: String
        let description: String
        let type: TypeName?
        /// Of an object that has no name of its own.
        let members: [Member]
        let hasMembers: Bool
    }

    struct Member: Sendable {
        let name: String
        /// Where it stands, if that is not the body.
        let place: String?
        let isRequired: Bool
        let type: TypeName
        let description: String?
    }

    /// A type in words, with the schema that it leads to.
    struct TypeName: Sendable {
        let text: String
        let href: String?
    }

    struct Schema: Sendable {
        let name: String
        let description: String?
        let members: [Member]
        let hasMembers: Bool
    }

    let description: String
    let groups: [Group]
    let schemas: [Schema]

    init(_ document: JSONValue) {
        let reader = Reader(document: document)
        description = document["info"]?["description"]?.text ?? ""
        let operations = reader.operations
        groups = (document["tags"]?.elements ?? []).compactMap { tag in
            tag["name"]?.text.map { name in
                Group(name: name, operations: operations.filter { $0.tag == name }.map(\.operation))
            }
        }
        schemas = (document["components"]?["schemas"]?.members ?? [:])
            .sorted { $0.key < $1.key }.map { reader.schema($0.key, $0.value) }
    }

    private struct Reader {
        let document: JSONValue

        private static let methods = ["get", "post", "put", "patch", "delete"]

        var operations: [(tag: String, operation: Operation)] {
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
        ) -> Operation {
            let parameters = (operation["parameters"]?.elements ?? []).map { reference in
                let parameter = resolve(reference)
                return Member(
                    name: parameter["name"]?.text ?? "", place: parameter["in"]?.text,
                    isRequired: parameter["required"] == .bool(true),
                    type: type(parameter["schema"] ?? .null),
                    description: parameter["description"]?.text)
            }
            let body =
                operation["requestBody"]?["content"]?["application/json"]?["schema"]
                .map(members) ?? []
            let answers = (operation["responses"]?.members ?? [:])
                .sorted { $0.key < $1.key }.map { status, reference in
                    let answer = resolve(reference)
                    let schema = answer["content"]?.members.values.first?["schema"]
                    let members =
                        schema.flatMap { $0["$ref"] == nil ? self.members($0) : nil } ?? []
                    return Answer(
                        status: status, description: answer["description"]?.text ?? "",
                        type: members.isEmpty ? schema.map(type) : nil, members: members,
                        hasMembers: !members.isEmpty)
                }
            return Operation(
                id: operation["operationId"]?.text ?? "", method: method.uppercased(),
                path: "/api/v1" + path, summary: operation["summary"]?.text ?? "",
                description: operation["description"]?.text,
                needsToken: operation["security"] != nil, parameters: parameters,
                hasParameters: !parameters.isEmpty, body: body, hasBody: !body.isEmpty,
                answers: answers)
        }

        func schema(_ name: String, _ schema: JSONValue) -> Schema {
            let members = members(schema)
            return Schema(
                name: name, description: schema["description"]?.text, members: members,
                hasMembers: !members.isEmpty)
        }

        /// Those of an object, with those of the schemas that it is made of.
        private func members(_ schema: JSONValue) -> [Member] {
            let schema = resolve(schema)
            let inherited = (schema["allOf"]?.elements ?? []).flatMap(members)
            let required = (schema["required"]?.elements ?? []).compactMap(\.text)
            let own = (schema["properties"]?.members ?? [:]).sorted { $0.key < $1.key }
                .map { name, property in
                    Member(
                        name: name, place: nil, isRequired: required.contains(name),
                        type: type(property), description: resolve(property)["description"]?.text)
                }
            return inherited + own
        }

        private func resolve(_ value: JSONValue) -> JSONValue {
            guard let reference = value["$ref"]?.text else { return value }
            var found = document
            for key in reference.split(separator: "/").dropFirst() {
                found = found[String(key)] ?? .null
            }
            return found
        }

        private func type(_ schema: JSONValue) -> TypeName {
            if let name = schema["$ref"]?.text?.split(separator: "/").last.map(String.init) {
                return TypeName(text: name, href: "#\(name)")
            }
            var names = [schema["type"]?.text].compactMap { $0 }
            names += schema["type"]?.elements.compactMap(\.text) ?? []
            if let items = schema["items"] {
                let item = type(items)
                return TypeName(text: "array of \(item.text)", href: item.href)
            }
            var text = names.joined(separator: " or ")
            let values = schema["enum"]?.elements.compactMap(\.text) ?? []
            if !values.isEmpty { text = values.joined(separator: ", ") }
            if let format = schema["format"]?.text { text += " (\(format))" }
            switch (schema["minimum"]?.integer, schema["maximum"]?.integer) {
            case (let low?, let high?): text += " from \(low) to \(high)"
            case (let low?, nil): text += ", at least \(low)"
            default: break
            }
            if let limit = schema["maxLength"]?.integer { text += ", at most \(limit) characters" }
            return TypeName(text: text, href: nil)
        }
    }
}
