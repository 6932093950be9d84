import Endpoints
import FaveGames
import Foundation
import JSON
import TestSupport

@testable import Web

/// The OpenAPI document of the API, as the tests read it.
struct OpenAPIDocument {
    struct Operation {
        let method: String
        let path: String
        let value: JSONValue

        var name: String { "\(method) \(path)" }
        var id: String { value["operationId"]?.text ?? "" }
    }

    let root: JSONValue

    static func load() throws -> OpenAPIDocument { OpenAPIDocument(root: try loaded.get()) }

    /// As clients get it.
    private static let loaded = Result { try JSONParser.parse(Array(text.utf8)) }
    static let text = of(SiteIdentity()).indented()

    static func of(_ site: SiteIdentity) -> JSONValue {
        OpenAPI.of(site, at: Example.site).document(Routes.all)
    }

    var operations: [Operation] {
        (root["paths"]?.members ?? [:]).flatMap { path, item in
            item.members.map {
                Operation(method: $0.key.uppercased(), path: path, value: $0.value)
            }
        }.sorted { $0.name < $1.name }
    }

    func operation(_ id: String) throws -> Operation {
        guard let operation = operations.first(where: { $0.id == id }) else {
            throw TestFailure("there is no operation \(id)")
        }
        return operation
    }

    /// What a reference leads to; anything else is itself.
    func resolve(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        var found = root
        for key in reference.split(separator: "/").dropFirst() {
            found = found[String(key)] ?? .null
        }
        return found
    }

    /// All values of the document, each with what leads to it.
    var values: [(pointer: String, value: JSONValue)] {
        var found: [(pointer: String, value: JSONValue)] = []
        func walk(_ value: JSONValue, _ pointer: String) {
            found.append((pointer, value))
            for (name, member) in value.members { walk(member, "\(pointer)/\(name)") }
            for (index, element) in value.elements.enumerated() {
                walk(element, "\(pointer)/\(index)")
            }
        }
        walk(root, "#")
        return found
    }
}
