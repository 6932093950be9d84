import Foundation
import JSON
import TestSupport
import Testing

@testable import Web

@Suite("The OpenAPI document")
struct OpenAPITests {
    private static let document = Result {
        try JSONParser.parse(
            Array(
                Data(
                    contentsOf: URL(
                        fileURLWithPath: "\(TestDatabase.viewsFolder)/assets/openapi.json"))))
    }

    private func document() throws -> JSONValue { try Self.document.get() }

    @Test("has every route of the API, and no other")
    func routes() throws {
        let routes = Routes.table.filter { $0.1.hasPrefix("/api/v1/") }
            .map { "\($0.0.rawValue) \($0.1.dropFirst("/api/v1".count))" }
            .filter { $0 != "GET /openapi.json" }
        let described = try (document()["paths"]?.members ?? [:]).flatMap { path, item in
            item.members.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(Set(routes) == Set(described))
        #expect(routes.count == described.count)
    }

    @Test("names every parameter of a path, and each operation once")
    func operations() throws {
        var ids: Set<String> = []
        for (path, item) in try document()["paths"]?.members ?? [:] {
            for (method, operation) in item.members {
                let id = try #require(operation["operationId"]?.text)
                #expect(ids.insert(id).inserted, "\(id)")
                let names = try (operation["parameters"]?.elements ?? []).compactMap {
                    try resolve($0)
                }.filter { $0["in"]?.text == "path" }.compactMap { $0["name"]?.text }
                let wanted = path.matches(of: /\{([^}]*)\}/).map { String($0.1) }
                #expect(Set(names) == Set(wanted), "\(method) \(path)")
                #expect(operation["responses"]?.members.isEmpty == false)
            }
        }
    }

    @Test("leads nowhere into the void")
    func references() throws {
        var count = 0
        func walk(_ value: JSONValue) throws {
            if value["$ref"]?.text != nil {
                #expect(try resolve(value) != .null, "\(value)")
                count += 1
            }
            for member in value.members.values { try walk(member) }
            for element in value.elements { try walk(element) }
        }
        try walk(document())
        #expect(count > 100)
    }

    private func resolve(_ value: JSONValue) throws -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        var found = try document()
        for key in reference.split(separator: "/").dropFirst() {
            found = found[String(key)] ?? .null
        }
        return found
    }
}
