import JSON
import Testing

@testable import Endpoints

@Suite("The description of routes")
struct OpenAPITests {
    private let document = Library.openAPI.document(Library.routes).members

    private func operation(_ path: String, _ method: String) throws -> [String: JSONValue] {
        try #require(document["paths"]?.members[path]?.members[method]).members
    }

    private func component(_ reference: JSONValue?) throws -> JSONValue {
        let path = try #require(reference?.members["$ref"]?.text).split(separator: "/")
        #expect(path.prefix(2) == ["#", "components"])
        return try #require(
            document["components"]?.members[String(path[2])]?.members[String(path[3])])
    }

    @Test("has those that are for programs, and no pages")
    func paths() {
        #expect(
            document["paths"]?.members.keys.sorted() == [
                "/books", "/shelves/{shelf}", "/shelves/{shelf}/book",
            ])
        #expect(document["tags"] == [["name": "Books", "description": "What the library has."]])
    }

    @Test("has the parameters that inputs read, as these check them")
    func parameters() throws {
        let parameters =
            try operation("/shelves/{shelf}", "get")["parameters"]?.elements
            .map { try component($0).members } ?? []
        #expect(
            parameters.map { $0["name"]?.text } == ["shelf", "limit", "cursor", "If-None-Match"])
        #expect(parameters[0]["in"] == "path")
        #expect(parameters[0]["required"] == true)
        #expect(
            parameters[1]["schema"] == [
                "type": "integer", "minimum": 1, "maximum": 100, "default": 20,
            ])
    }

    @Test("has the body that is read, and the value that is written")
    func bodies() throws {
        let replace = try operation("/shelves/{shelf}/book", "put")
        #expect(replace["summary"] == "Replace a book")
        #expect(replace["security"]?.elements.contains(["personalToken": ["books:write"]]) == true)
        let body = replace["requestBody"]?.members["content"]?.members["application/json"]
        #expect(
            body?.members["schema"] == ["$ref": "#/components/schemas/ReplaceBookRequest"])
        #expect(try component(body?.members["schema"]).members["required"] == ["title", "pages"])
        #expect(body?.members["example"] == ["title": "Emma", "pages": 474])
        let success = replace["responses"]?.members["200"]?.members
        let schema = success?["content"]?.members["application/json"]?.members["schema"]
        #expect(schema == ["$ref": "#/components/schemas/Book"])
        #expect(try component(schema).members["description"] == "Something to read.")
        #expect(success?["headers"]?.members["ETag"] != nil)
    }

    @Test("has the problems of inputs, of the route and of HTTP, in the application's words")
    func problems() throws {
        let responses = try operation("/shelves/{shelf}/book", "put")["responses"]?.members ?? [:]
        #expect(
            responses.keys.sorted() == [
                "200", "400", "401", "404", "405", "409", "412", "413", "414", "415", "422", "428",
                "429",
                "431", "500", "503",
            ])
        let missing = try component(responses["404"]).members["content"]?
            .members["application/problem+json"]?.members["examples"]
        #expect(
            missing?.members["not-found"]?.members["value"]?.members["detail"]
                == "There is no such shelf.")
    }

    @Test("says what a request costs, if that isn't one unit")
    func costs() throws {
        #expect(try operation("/shelves/{shelf}", "get")["description"] == nil)
        #expect(
            try operation("/books", "get")["description"]
                == "Costs 1 unit; 4 units more with “title”.")
        #expect(
            try operation("/shelves/{shelf}/book", "delete")["description"] == "Costs 3 units.")
    }
}

@Suite("The table of routes")
struct RouteTableTests {
    @Test("says of each what it declares, by path")
    func rows() {
        let lines = RouteTable.markdown(Library.routes).split(separator: "\n").dropFirst(2)
        #expect(lines.count == Library.routes.count)
        #expect(
            Array(lines.dropFirst(2).prefix(3)) == [
                "| GET | `/books` |  | 1 unit, 4 units with `title` |  | Library.swift |",
                "| POST | `/books` |  |  |  | Library.swift |",
                "| GET | `/shelves/{shelf}` |  |  |  | Library.swift |",
            ])
        #expect(
            lines.contains(
                "| DELETE | `/shelves/{shelf}/book` | tokens of sessions | 3 units |  "
                    + "| Library.swift |"))
    }
}
