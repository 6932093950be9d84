import JSON

/// An OpenAPI document as its page shows it.
package struct APIReference: Sendable {
    struct Group: Sendable {
        let name: String
        let anchor: String
        let description: Prose?
        let operations: [Operation]
    }

    struct Operation: Sendable {
        let id: String
        let method: String
        let path: String
        let summary: String
        let description: Prose?
        let needsToken: Bool
        let parameters: [Member]
        let body: Body?
        let responses: [Response]
        let errors: [ErrorLink]
    }

    struct Body: Sendable {
        let type: TypeName?
        let members: [Member]
        let example: String?
    }

    struct Response: Sendable {
        let status: String
        let description: Prose
        let type: TypeName?
        /// The members of an object type that has no name of its own.
        let members: [Member]
        let headers: String?
        let example: String?
    }

    /// A response that many operations share.
    struct ErrorLink: Sendable {
        let status: String
        let name: String
    }

    struct Member: Sendable {
        let name: String
        /// Where a parameter is, such as "query"; `nil` for members of a body and for headers of
        /// responses.
        let place: String?
        let isRequired: Bool
        let type: TypeName
        let description: Prose?
        let example: String?
    }

    /// A type in words, with a link to its schema, if any.
    struct TypeName: Sendable {
        let text: String
        let href: String?
    }

    struct Schema: Sendable {
        let name: String
        let description: Prose?
        /// The type of a schema that is not an object.
        let type: TypeName?
        let members: [Member]
    }

    struct SharedResponse: Sendable {
        let name: String
        let description: Prose
        let example: String?
    }

    let introduction: [Prose]
    let groups: [Group]
    let schemas: [Schema]
    let errors: [SharedResponse]
    let headers: [Member]

    package init(_ document: JSONValue) {
        let reader = APIReferenceReader(document: document)
        introduction = (document["info"]?["description"]?.text ?? "")
            .split(separator: "\n\n").map { Prose(String($0)) }
        let operations = reader.operations
        groups = (document["tags"]?.elements ?? []).compactMap { tag in
            tag["name"]?.text.map { name in
                Group(
                    name: name, anchor: "tag-\(name.lowercased().replacing(" ", with: "-"))",
                    description: tag["description"]?.text.map { Prose($0) },
                    operations: operations.filter { $0.tag == name }.map(\.operation))
            }
        }
        let components = document["components"]
        schemas = (components?["schemas"]?.members ?? [:])
            .sorted { $0.key < $1.key }.map { reader.schema($0.key, $0.value) }
        errors = (components?["responses"]?.members ?? [:])
            .sorted { $0.key < $1.key }.map { reader.sharedResponse($0.key, $0.value) }
        headers = (components?["headers"]?.members ?? [:])
            .sorted { $0.key < $1.key }.map { reader.member($0.key, $0.value, in: nil) }
    }
}
