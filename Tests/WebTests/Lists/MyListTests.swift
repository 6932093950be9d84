import Foundation
import TestSupport
import Testing

/// The API as one person uses it, on a server of its own.
struct Person {
    let server: TestServer
    let token: String

    static func with(_ body: (Person) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await body(Person(server: server, token: server.makeUser("rob")))
        }
    }

    func send(
        _ method: String, _ path: String, _ json: String? = nil, fields: [(String, String)] = []
    ) throws -> RawResponse {
        try server.send(method, "/api/v1" + path, token: token, fields: fields, json: json)
    }

    /// Replaces the list by games on platforms, whatever it is if `fields` does not say.
    @discardableResult
    func put(
        _ picks: [(game: Int, platform: Int)], fields: [(String, String)] = []
    ) throws -> RawResponse {
        let entries = picks.map { #"{"gameId": \#($0.game), "platformId": \#($0.platform)}"# }
        return try put(#"{"entries": [\#(entries.joined(separator: ","))]}"#, fields: fields)
    }

    func put(_ json: String, fields: [(String, String)] = []) throws -> RawResponse {
        let isConditional = fields.contains { $0.0 == "If-Match" }
        return try send(
            "PUT", "/me/list", json,
            fields: fields + (isConditional ? [] : [("If-Match", "*")]))
    }

    func entries() throws -> [[String: Any]] {
        try send("GET", "/me/list").object.objects("entries")
    }

    func games() throws -> [Int] { try entries().compactMap { $0.object("game").int("id") } }

    func ids() throws -> [String] { try entries().compactMap { $0.string("id") } }
}

@Suite("Replacing one's list", .blocking)
struct MyListTests {
    private static let five = [(71, 6), (120, 48), (117, 48), (73, 9), (72, 130)]

    @Test("makes it what was sent, and says what it is now")
    func replace() async throws {
        try await Person.with { rob in
            #expect(try rob.entries().isEmpty)
            let response = try rob.put(Self.five)
            #expect(response.status == 200)
            let entries = try response.object.objects("entries")
            #expect(entries.map { $0.int("position") } == [1, 2, 3, 4, 5])
            #expect(entries.map { $0.object("game").int("id") } == [71, 120, 117, 73, 72])
            #expect(entries.map { $0.object("platform").int("id") } == [6, 48, 48, 9, 130])
            #expect(try rob.send("GET", "/me/list").bytes == response.bytes)
            #expect(try rob.put([]).status == 200)
            #expect(try rob.entries().isEmpty)
        }
    }

    @Test("in another order keeps the entries")
    func reorder() async throws {
        try await Person.with { rob in
            try rob.put(Self.five)
            let before = try rob.entries()
            try rob.put(Self.five.reversed())
            let after = try rob.entries()
            #expect(after.map { $0.string("id") } == before.reversed().map { $0.string("id") })
            #expect(after.map { $0.int("position") } == [1, 2, 3, 4, 5])
            #expect(
                after.map { $0.string("createdAt") }
                    == before.reversed().map { $0.string("createdAt") })
        }
    }

    @Test("cleans comments, and takes a thousand characters")
    func comments() async throws {
        try await Person.with { rob in
            func put(_ comment: String) throws -> RawResponse {
                let text = String(
                    decoding: try JSONEncoder().encode(comment), as: UTF8.self)
                return try rob.put(
                    #"{"entries": [{"gameId": 71, "platformId": 6, "comment": \#(text)}]}"#)
            }
            #expect(try put(" a\r\nb\u{0}\u{7} ").status == 200)
            #expect(try rob.entries()[0].string("comment") == "a\nb")
            #expect(try put(String(repeating: "é", count: 1000)).status == 200)
            let problem = try expectProblem(put(String(repeating: "é", count: 1001)), 422)
            #expect(
                memberErrors(problem) == [
                    "/entries/0/comment This must have at most 1000 characters."
                ])
            #expect(try rob.entries()[0].string("comment")?.count == 1000, "nothing has changed")
        }
    }

    @Test("refuses what is not a list, and tells everything that is wrong")
    func members() async throws {
        try await Person.with { rob in
            let body = """
                {"entries": [{"gameId": "71", "platformId": 6}, {"gameId": 0}, 5,
                 {"gameId": 1.5, "platformId": 99999999999, "comment": null, "rating": 6,
                  "tags": ["a", 1], "colour": "red"}],
                 "more": true}
                """
            #expect(
                memberErrors(try expectProblem(rob.send("PUT", "/me/list", body), 422)) == [
                    "/entries/0/gameId This must be a whole number, not a string.",
                    "/entries/1/gameId This must be from 1 to 2147483647.",
                    "/entries/1/platformId This is missing.",
                    "/entries/2 This must be an object, not a number.",
                    "/entries/3/gameId This must be a whole number.",
                    "/entries/3/platformId This must be from 1 to 2147483647.",
                    "/entries/3/comment This must not be null; leave it out instead.",
                    "/entries/3/rating This must be from 1 to 5.",
                    "/entries/3/tags/1 This must be a string, not a number.",
                    "/entries/3/colour This is not known here.",
                    "/more This is not known here.",
                ])
            #expect(
                memberErrors(try expectProblem(rob.send("PUT", "/me/list", "{}"), 422)) == [
                    "/entries This is missing."
                ])
            let six = try expectProblem(rob.put(Self.five + [(16, 6)]), 422)
            #expect(
                memberErrors(six) == ["/entries This must have at most 5 elements; this has 6."])
        }
    }

    @Test("refuses what breaks a rule of lists, and changes nothing")
    func rules() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48)])
            let twice = try expectProblem(rob.put([(117, 48), (71, 6), (71, 6)]), 422)
            #expect(
                memberErrors(twice) == [
                    "/entries/1 This must be there only once.",
                    "/entries/2 This must be there only once.",
                ])
            try expectProblem(rob.put([(117, 48), (1, 48)]), 422, "Game 1 is unknown")
            try expectProblem(rob.put([(117, 999_999)]), 422, "Platform 999999 is unknown")
            try expectProblem(rob.put([(117, 6)]), 422, "Game 117 is not on platform 6")
            #expect(try rob.games() == [71, 120])
            // The same game on two platforms is no duplicate.
            #expect(try rob.put([(71, 6), (71, 9)]).status == 200)
        }
    }

    @Test("shows at once on the list's page and in the ranking")
    func atOnce() async throws {
        try await Person.with { rob in
            func page(_ path: String) throws -> String {
                let response = try rob.server.send("GET", path)
                #expect(response.status == 200)
                return response.text
            }
            func ranking() throws -> [Int] {
                try rob.server.send("GET", "/api/v1/platforms/48/ranking").object
                    .objects("games").compactMap { $0.object("game").int("id") }
            }
            #expect(try page("/@rob").contains("Still choosing"))
            try rob.put([(117, 48)])
            #expect(try page("/@rob").contains("The Last Guardian"))
            #expect(try page("/platforms/ps4--1").contains("The Last Guardian"))
            #expect(try page("/").contains("The Last Guardian"))
            #expect(try ranking() == [117])
            try rob.put([(120, 48)])
            #expect(try !page("/@rob").contains("The Last Guardian"))
            #expect(try page("/@rob").contains("Diablo III"))
            #expect(try ranking() == [120])
            try rob.put([])
            #expect(try ranking() == [])
            #expect(try page("/platforms/ps4--1").contains("No lists yet"))
        }
    }
}
