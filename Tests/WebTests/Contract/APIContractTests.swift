import Foundation
import JSON
import TestSupport
import Testing

@Suite("Responses of the API are what the document says", .blocking)
struct APIContractTests {
    private let contract: APIContract
    private let site: ContractSite

    init() async throws {
        contract = try APIContract()
        site = try await ContractSite.shared
    }

    /// Sends a request, and checks what comes back.
    @discardableResult
    private func check(
        _ request: ContractRequest, _ id: String, _ status: Int, on server: TestServer,
        at location: SourceLocation = #_sourceLocation
    ) throws -> RawResponse {
        let operation = try contract.document.operation(id)
        let response = try server.send(
            operation.method, request.target, token: request.token, fields: request.fields,
            json: request.body, type: request.type)
        #expect(
            response.status == status, "\(operation.name): \(response.text)",
            sourceLocation: location)
        let faults = try contract.faults(of: response, id)
        #expect(faults == [], sourceLocation: location)
        return response
    }

    @Test("when all is well", arguments: ContractCase.successes)
    func success(_ one: ContractCase) async throws {
        let server = one.isElsewhere ? site.other : site.server
        try check(try await one.request(site), one.id, one.status, on: server)
    }

    @Test(
        "with a key, when the request is sent a second time",
        arguments: ContractCase.successes.filter(\.note.isEmpty))
    func repetition(_ one: ContractCase) async throws {
        let operation = try contract.document.operation(one.id)
        guard operation.method == "POST" else { return }
        let server = one.isElsewhere ? site.other : site.server
        var request = try await one.request(site)
        request.fields.removeAll { $0.0 == "Idempotency-Key" }
        request.fields.append(("Idempotency-Key", UUID().uuidString))
        guard one.id != "lookUpCircleInvitation" else {
            try expectProblem(check(request, one.id, 400, on: server), 400, "takes no")
            return
        }
        let first = try check(request, one.id, one.status, on: server)
        let second = try check(request, one.id, one.status, on: server)
        #expect(first["idempotency-replayed"] == nil)
        #expect(second["idempotency-replayed"] == "true")
        #expect(second.bytes == first.bytes)
        #expect(second["location"] == first["location"])
        #expect((first["location"] == nil) == (first.status == 204 || first.status == 200))
    }

    @Test("when a client sends back what it has read, which changes nothing")
    func sendingBack() async throws {
        let listed = try await site.listed()
        let person = Person(server: site.server, token: listed.token)
        let circle = try listed.send("POST", "/circles", #"{"name": "Couch Club"}"#)
        let paths = [
            ("/me", "PATCH"), ("/me/list", "PUT"),
            (try listed.entry().replacing("/api/v1", with: ""), "PATCH"),
            ("/circles/\(try #require(circle.string("id")))", "PATCH"),
        ]
        for (path, method) in paths {
            let read = try person.send("GET", path, nil)
            let tag = try #require(read["etag"], "\(path)")
            let written = try person.send(method, path, read.text, fields: [("If-Match", tag)])
            #expect(written.bytes == read.bytes, "\(path)")
            #expect(written["etag"] == tag, "\(path)")
        }
    }

    @Test("when all is well, at every operation")
    func complete() {
        let operations = contract.document.operations.map(\.id)
        #expect(Set(ContractCase.successes.map(\.id)) == Set(operations))
    }

    @Test("when something is wrong", arguments: ContractCase.errors)
    func error(_ one: ContractCase) async throws {
        try check(try await one.request(site), one.id, one.status, on: site.server)
    }

    @Test(
        "to a condition that is met",
        arguments: [
            ("getGame", "/api/v1/games/71"), ("v0GetGame", "/api/v0/games/71"),
            ("getKeys", "/.well-known/jwks.json"), ("getMyList", "/api/v1/me/list"),
            ("getOEmbed", "/oembed?url=https://fave.example/@rob"),
        ])
    func notModified(id: String, target: String) throws {
        var request = ContractRequest(target, token: id == "getMyList" ? site.rob.token : nil)
        let first = try check(request, id, 200, on: site.server)
        request.fields = [("If-None-Match", try #require(first["etag"]))]
        try check(request, id, 304, on: site.server)
    }

    @Test("to a condition that isn't met")
    func preconditionFailed() throws {
        let request = ContractRequest("/api/v1/games/71", fields: [("If-Match", "\"another\"")])
        try check(request, "getGame", 412, on: site.server)
    }

    @Test(
        "to a former name",
        arguments: [("getUser", ""), ("getList", "/list"), ("listSimilar", "/similar")])
    func moved(id: String, path: String) async throws {
        let person = try await site.person()
        let renamed = ContractRequest(
            "/api/v1/me", token: person.token, json: #"{"username": "\#(person.name)-new"}"#)
        try check(renamed, "changeMe", 200, on: site.server)
        try check(
            ContractRequest("/api/v1/users/\(person.name)\(path)"), id, 307, on: site.server)
    }

    @Test("to a method that isn't for this address, and to one that is for none")
    func methods() throws {
        let other = try site.server.send("DELETE", "/api/v1/games/71")
        #expect(other.status == 405)
        #expect(try contract.faults(of: other, sharedResponse: "MethodNotAllowed") == [])
        let unknown = try site.server.send("FOO", "/api/v1/games/71")
        #expect(unknown.status == 501)
        #expect(try contract.faults(of: unknown, sharedResponse: "NotImplemented") == [])
    }

    @Test("when there were too many requests")
    func rateLimits() async throws {
        let settings = [
            "API_READS_PER_MINUTE": "2", "API_WRITES_PER_MINUTE": "1", "CACHE_MEGABYTES": "0",
        ]
        try await TestServer.run(settings: settings) { server in
            let operations = [
                ("getGame", 200), ("v0GetGame", 200), ("getGame", 429), ("v0GetGame", 429),
            ]
            let responses = try server.sendAtOnce(
                operations.map { $0.0 == "getGame" ? "/api/v1/games/71" : "/api/v0/games/71" })
            for ((id, status), response) in zip(operations, responses) {
                #expect(response.status == status, "\(id)")
                #expect(try contract.faults(of: response, id) == [])
                #expect((response["retry-after"] != nil) == (status == 429))
                if id == "getGame" { #expect(response["ratelimit"] != nil) }
            }
            #expect(responses[0]["ratelimit-policy"] != nil)
            let signIn = ContractRequest(
                "/api/v1/sessions", json: #"{"username": "nobody", "password": "tulip staple 42"}"#)
            try check(signIn, "signIn", 401, on: server)
            try check(signIn, "signIn", 429, on: server)
        }
    }

    @Test("is a check that finds what is wrong")
    func checks() throws {
        let document = contract.document
        let game = document.root["components"]?["schemas"]?["Game"] ?? .null
        func faults(_ json: String, isClosed: Bool = true) throws -> [String] {
            var schema = JSONSchema(document: document)
            schema.isClosed = isClosed
            return try schema.faults(of: JSONParser.parse(Array(json.utf8)), game).sorted()
        }
        let good = #""id": 71, "name": "Portal", "releaseYear": null, "url": "/games/71""#
        #expect(try faults(#"{\#(good), "coverUrl": null}"#) == [])
        #expect(try faults(#"{\#(good)}"#) == ["/coverUrl is missing"])
        #expect(
            try faults(#"{\#(good), "coverUrl": 1}"#) == [
                "/coverUrl is a number, not string or null"
            ])
        #expect(try faults(#"{\#(good), "coverUrl": "x"}"#) == ["/coverUrl is no uri: x"])
        #expect(try faults(#"{\#(good), "coverUrl": null, "x": 1}"#) == ["/x is not described"])
        #expect(try faults(#"{\#(good), "coverUrl": null, "x": 1}"#, isClosed: false) == [])
        #expect(
            try faults(#"{"id": 0, "name": "", "releaseYear": 1, "coverUrl": null, "url": "/x"}"#)
                == [
                    "/id is less than 1", "/name has fewer than 1",
                    "/releaseYear is less than 1900",
                ])
        #expect(try faults("[]") == [" is an array, not object"])
        let tags = document.root["components"]?["schemas"]?["Tags"] ?? .null
        let many = JSONValue.array((0..<6).map { .string("\($0)") })
        #expect(JSONSchema(document: document).faults(of: many, tags) == [" has more than 5"])
        let service = document.root["components"]?["schemas"]?["Service"]?["properties"]
        for isClosed in [false, true] {
            var schema = JSONSchema(document: document)
            schema.isClosed = isClosed
            let faults = schema.faults(of: .string("never"), service?["signUp"] ?? .null)
            #expect(faults.count == (isClosed ? 1 : 0))
        }
        #expect(
            JSONSchema(document: document).faults(of: .int(1), .object(["multipleOf": .int(2)]))
                == [": the keyword multipleOf is not checked"])
    }
}
