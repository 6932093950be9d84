import Endpoints
import FaveGames
import JSON
import TestSupport
import Testing

@testable import Web

@Suite("The OpenAPI document", .blocking)
struct OpenAPITests {
    private let document: OpenAPIDocument
    private var root: JSONValue { document.root }

    init() throws { document = try OpenAPIDocument.load() }

    @Test("has every route for programs")
    func routes() throws {
        let undescribed = Routes.all.filter { $0.operation == nil && $0.kind.isAPI }
        // Clients of OAuth know these.
        #expect(undescribed.map(\.pattern) == ["/oauth/token", "/oauth/revoke"])
        let described = document.operations.map(\.name)
        #expect(described.count == Routes.all.filter { $0.operation != nil }.count)
        // Those of webhooks are described like the others.
        let tags = (root["tags"]?.elements ?? []).compactMap { $0["name"]?.text }
        let ids = Set(document.operations.map(\.id))
        let webhooks = root["webhooks"]?.members ?? [:]
        for (name, reference) in webhooks {
            let webhook = document.resolve(reference)
            let id = webhook["post"]?["operationId"]?.text ?? ""
            #expect(id.wholeMatch(of: /on[A-Z][A-Za-z]*/) != nil && !ids.contains(id), "\(name)")
            #expect(tags.contains(webhook["post"]?["tags"]?.elements.first?.text ?? ""), "\(name)")
        }
        #expect(webhooks.count == 6 && ids.allSatisfy { !$0.hasPrefix("on") })
        for name in [
            "GET /ping", "GET /health", "GET /.well-known/jwks.json", "GET /oembed",
            "GET /api/v1/openapi.json", "PATCH /api/v1/me/list/entries/{entry}",
            "DELETE /api/v0/my-fave-games/{id}",
        ] { #expect(described.contains(name), "\(name)") }
    }

    @Test("says what each operation is, once")
    func operations() throws {
        let tags = (root["tags"]?.elements ?? []).compactMap { $0["name"]?.text }
        var ids: Set<String> = []
        for operation in document.operations {
            let (name, value) = (operation.name, operation.value)
            #expect(ids.insert(operation.id).inserted, "\(name)")
            #expect(operation.id.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil, "\(name)")
            #expect(value["summary"]?.text?.isEmpty == false, "\(name)")
            #expect(tags.contains(value["tags"]?.elements.first?.text ?? ""), "\(name)")
            let parameters = (value["parameters"]?.elements ?? []).map(document.resolve)
            let names = parameters.filter { $0["in"]?.text == "path" }
                .compactMap { $0["name"]?.text }
            let wanted = operation.path.matches(of: /\{([^}]*)\}/).map { String($0.1) }
            #expect(names.sorted() == wanted.sorted(), "\(name)")
            let responses = value["responses"]?.members ?? [:]
            #expect(responses.keys.contains { $0.hasPrefix("2") }, "\(name)")
            // It would allow anything.
            #expect(responses["default"] == nil, "\(name)")
        }
        // They are anchors of the page.
        let components = root["components"]
        let anchors =
            Array(ids) + (components?["schemas"]?.members ?? [:]).keys
            + (components?["responses"]?.members ?? [:]).keys
        #expect(Set(anchors).count == anchors.count)
    }

    @Test("leads nowhere into the void, and holds nothing that is not used")
    func references() throws {
        var used: Set<String> = []
        for (pointer, value) in document.values {
            guard let reference = value["$ref"]?.text else { continue }
            #expect(document.resolve(value) != .null, "\(pointer): \(reference)")
            used.insert(reference)
        }
        #expect(used.count > 50)
        for kind in ["schemas", "parameters", "headers"] {
            for name in (root["components"]?[kind]?.members ?? [:]).keys {
                #expect(used.contains("#/components/\(kind)/\(name)"))
            }
        }
    }

    /// Generators refuse a document with a relative one, or make clients that don't know where to send.
    /// Those in bodies are checked with the examples.
    @Test(
        "has only absolute addresses, whatever the operator has set",
        arguments: [nil, "mailto:jane@couch.example", "https://couch.example/contact"])
    func addresses(contact: String?) throws {
        var site = SiteIdentity()
        site.contact = contact.flatMap(ExternalAddress.init)
        #expect((site.contact == nil) == (contact == nil))
        let document = OpenAPIDocument(root: OpenAPIDocument.of(site))
        #expect(document.root["servers"] == [["url": .string(Example.site)]])
        let places = /#\/(info|servers|tags|externalDocs|components\/securitySchemes)\/.*/
        let names = /.*([uU]rl|termsOfService)/
        var found: [String] = []
        for (pointer, value) in document.values
        where pointer.wholeMatch(of: places) != nil && pointer.wholeMatch(of: names) != nil {
            found.append(pointer)
            #expect(
                value.text?.wholeMatch(of: /https?:\/\/[^\/\s{}]+(\/[^\s{}]*)?/) != nil,
                "\(pointer): \(value)")
        }
        let hasPage = contact?.hasPrefix("mailto:") != true
        #expect(
            found.sorted() == (hasPage ? ["#/info/contact/url"] : []) + ["#/servers/0/url"])
    }

    @Test("describes every parameter, member and header with its type")
    func descriptions() throws {
        var count = 0
        for (pointer, value) in document.values {
            let isParameter = value["in"] != nil && value["name"] != nil && value["schema"] != nil
            let isHeader = pointer.wholeMatch(of: /#\/components\/headers\/[^\/]+/) != nil
            if isParameter || isHeader {
                count += 1
                #expect(value["description"]?.text?.isEmpty == false, "\(pointer)")
                let schema = value["schema"] ?? .null
                #expect(schema["type"] != nil, "\(pointer)")
                let example = value["example"] ?? schema["examples"]?.elements.first
                guard let example else {
                    Issue.record("\(pointer) has no example")
                    continue
                }
                #expect(JSONSchema(document: document).faults(of: example, schema) == [])
            }
            guard !pointer.contains("/example") else { continue }
            for (name, member) in value["properties"]?.members ?? [:]
            where value["type"] != nil {
                count += 1
                #expect(document.resolve(member)["description"] != nil, "\(pointer) \(name)")
                let schema = document.resolve(member)
                #expect(
                    schema["type"] != nil || schema["allOf"] != nil || schema["anyOf"] != nil,
                    "\(pointer) \(name)")
                guard schema["type"]?.text == "integer" else { continue }
                #expect(schema["minimum"] != nil, "\(pointer) \(name)")
            }
        }
        #expect(count > 200)
    }

    @Test("takes no members in bodies of v1 that it does not name")
    func closedBodies() throws {
        var count = 0
        for operation in document.operations where operation.path.hasPrefix("/api/v1/") {
            guard let content = operation.value["requestBody"]?["content"] else { continue }
            guard let json = content["application/json"] else { continue }
            let body = document.resolve(json["schema"] ?? .null)
            count += 1
            #expect(body["additionalProperties"] == .bool(false), "\(operation.name)")
        }
        #expect(count > 8)
    }

    @Test("has an example for every body, as its schema says")
    func examples() throws {
        var schema = JSONSchema(document: document)
        schema.isClosed = true
        var count = 0
        for (pointer, value) in document.values {
            guard pointer.contains(/\/content\/[a-z]+\/[a-z+]+$/) else { continue }
            var examples = (value["examples"]?.members ?? [:]).values.compactMap { $0["value"] }
            if let example = value["example"] { examples.append(example) }
            #expect(!examples.isEmpty, "\(pointer) has no example")
            for example in examples {
                count += 1
                let faults = schema.faults(of: example, value["schema"] ?? .null)
                #expect(faults == [], "\(pointer)")
            }
        }
        #expect(count > 100)
    }

    @Test("names the kinds of problems as they are")
    func problemKinds() throws {
        var shown: Set<ProblemKind> = []
        for (pointer, value) in document.values {
            guard let address = value["type"]?.text, address.contains("/api/problems/") else {
                continue
            }
            let name = String(address.split(separator: "/").last ?? "")
            let kind = try #require(ProblemKind.named(name), "\(pointer): \(address)")
            #expect(address == Example.site + kind.path, "\(pointer)")
            #expect(value["title"]?.text == kind.title, "\(pointer)")
            #expect(value["status"]?.integer == kind.status.code, "\(pointer)")
            shown.insert(kind)
        }
        // Only signing in with a provider, which is a page, meets one that responds with nonsense.
        #expect(Set(ProblemKind.all).subtracting(shown) == [.badGateway])
    }

    @Test("gives each response the kinds of its own status, and says which")
    func kindsOfResponses() throws {
        for operation in document.operations {
            for (status, reference) in operation.value["responses"]?.members ?? [:] {
                let response = document.resolve(reference)
                let content = response["content"]?["application/problem+json"]
                for (name, example) in content?["examples"]?.members ?? [:] {
                    let code = example["value"]?["status"]?.integer
                    #expect(code == Int(status), "\(operation.name) \(status)")
                    guard response["content"]?.members.count == 1 else { continue }
                    let link = "[\(name)](/api/problems/\(name))"
                    #expect(
                        response["description"]?.text?.contains(link) == true,
                        "\(operation.name) \(status): \(name)")
                }
            }
        }
    }
}
