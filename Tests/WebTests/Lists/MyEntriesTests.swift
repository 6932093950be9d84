import Foundation
import TestSupport
import Testing

@Suite("The entries of one's list", .blocking)
struct MyEntriesTests {
    private static let unknown = "00000000-0000-4000-8000-000000000000"

    private func post(
        _ rob: Person, _ game: Int, _ platform: Int, _ more: String = ""
    ) throws -> RawResponse {
        try rob.send(
            "POST", "/me/list/entries", #"{"gameId": \#(game), "platformId": \#(platform)\#(more)}"#
        )
    }

    private func patch(_ rob: Person, _ id: String, _ json: String) throws -> RawResponse {
        try rob.send("PATCH", "/me/list/entries/\(id)", json)
    }

    @Test("are added at the end, or at a position")
    func add() async throws {
        try await Person.with { rob in
            let first = try post(rob, 71, 6, #", "comment": " cake ""#)
            #expect(first.status == 201)
            let entry = try first.object
            let id = try #require(entry.string("id"))
            #expect(first["location"] == "/api/v1/me/list/entries/\(id)")
            #expect(entry.int("position") == 1)
            #expect(entry.string("comment") == "cake")
            #expect(entry.object("game").string("name") == "Portal")
            #expect(try post(rob, 120, 48).object.int("position") == 2)
            #expect(try post(rob, 117, 48, #", "position": 1"#).object.int("position") == 1)
            #expect(try rob.games() == [117, 71, 120])
        }
    }

    @Test("are changed and removed only if they are what the client knows")
    func conditions() async throws {
        try await Person.with { rob in
            let added = try post(rob, 71, 6)
            let path = try "/me/list/entries/" + (#require(added.object.string("id")))
            let first = try #require(added["etag"])
            let read = try rob.send("GET", path)
            #expect(read.bytes == added.bytes)
            #expect(read["etag"] == first)
            #expect(try rob.send("GET", path, fields: [("If-None-Match", first)]).status == 304)
            func patch(_ comment: String, _ tag: String) throws -> RawResponse {
                try rob.send(
                    "PATCH", path, #"{"comment": "\#(comment)"}"#, fields: [("If-Match", tag)])
            }
            let second = try #require(try patch("one", first)["etag"])
            try expectProblem(patch("two", first), 412, "has changed")
            #expect(try patch("three", "\(first), \(second)").status == 200)
            #expect(try rob.entries()[0].string("comment") == "three")
            func delete(_ tag: String) throws -> RawResponse {
                try rob.send("DELETE", path, fields: [("If-Match", tag)])
            }
            try expectProblem(delete(second), 412, "has changed")
            try expectProblem(delete("tag"), 400)
            #expect(try delete("*").status == 204)
            try expectProblem(delete("*"), 404)
            try expectProblem(
                rob.send("DELETE", path, fields: [("If-None-Match", "*")]), 404)
            try expectProblem(rob.send("GET", path), 404)
        }
    }

    @Test("are added only if the list is what the client knows")
    func listConditions() async throws {
        try await Person.with { rob in
            let list = try #require(try rob.send("GET", "/me/list")["etag"])
            func add(_ game: Int) throws -> RawResponse {
                try rob.send(
                    "POST", "/me/list/entries", #"{"gameId": \#(game), "platformId": 48}"#,
                    fields: [("If-Match", list)])
            }
            #expect(try add(120).status == 201)
            try expectProblem(add(117), 412, "has changed")
            #expect(try rob.games() == [120])
        }
    }

    @Test("are at most five, each game once for a platform")
    func limits() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48), (117, 48), (73, 9)])
            try expectProblem(post(rob, 71, 6), 409, "already on the list")
            #expect(try post(rob, 71, 9).status == 201)
            try expectProblem(post(rob, 72, 130), 409, "at most 5")
            #expect(try rob.games() == [71, 120, 117, 73, 71])
        }
    }

    @Test("are of games that we know, for platforms that they are on, and leave no hole")
    func rules() async throws {
        try await Person.with { rob in
            try expectProblem(post(rob, 1, 48), 422, "Game 1 is unknown")
            try expectProblem(post(rob, 117, 999_999), 422, "Platform 999999 is unknown")
            try expectProblem(post(rob, 117, 6), 422, "not on platform 6")
            try expectProblem(post(rob, 117, 48, #", "position": 2"#), 422, "from 1 to 1")
            let problem = try expectProblem(post(rob, 117, 48, #", "position": 6"#), 422)
            #expect(memberErrors(problem) == ["/position This must be from 1 to 5."])
            let more = try expectProblem(
                rob.send(
                    "POST", "/me/list/entries", #"{"position": "1", "id": 5, "colour": "red"}"#),
                422)
            #expect(
                memberErrors(more) == [
                    "/position This must be a whole number, not a string.",
                    "/gameId This is missing.",
                    "/platformId This is missing.", "/colour This is not known here.",
                ])
            #expect(try rob.entries().isEmpty)
        }
    }

    @Test("move, and the others make room")
    func move() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48), (117, 48), (73, 9)])
            let ids = try rob.ids()
            let moved = try patch(rob, ids[3], #"{"position": 1}"#)
            #expect(moved.status == 200)
            #expect(try moved.object.int("position") == 1)
            #expect(try rob.games() == [73, 71, 120, 117])
            #expect(try patch(rob, ids[3].uppercased(), #"{"position": 3}"#).status == 200)
            #expect(try rob.games() == [71, 120, 73, 117])
            #expect(try rob.entries().map { $0.int("position") } == [1, 2, 3, 4])
            try expectProblem(patch(rob, ids[0], #"{"position": 5}"#), 422, "from 1 to 4")
            try expectProblem(patch(rob, ids[0], #"{"position": 0}"#), 422)
        }
    }

    @Test("change in what is given, and keep the rest")
    func change() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48)])
            let ids = try rob.ids()
            #expect(
                try patch(rob, ids[0], #"{"comment": "why"}"#).object.string("comment") == "why")
            let platform = try patch(rob, ids[0], #"{"platformId": 130}"#).object
            #expect(platform.object("platform").string("slug") == "switch")
            #expect(platform.object("game").int("id") == 71)
            #expect(platform.string("comment") == "why")
            let game = try patch(rob, ids[1], #"{"gameId": 117, "position": 1}"#).object
            #expect(game.string("id") == ids[1])
            #expect(try rob.games() == [117, 71])
            #expect(try patch(rob, ids[0], #"{"comment": ""}"#).object.string("comment") == "")
            let before = try rob.send("GET", "/me/list")
            #expect(try patch(rob, ids[0], "{}").status == 200)
            #expect(try rob.send("GET", "/me/list").bytes == before.bytes, "nothing has changed")
        }
    }

    @Test("do not change into what breaks a rule")
    func changeRules() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48)])
            let id = try rob.ids()[1]
            try expectProblem(patch(rob, id, #"{"gameId": 71, "platformId": 6}"#), 409)
            try expectProblem(patch(rob, id, #"{"gameId": 1}"#), 422, "Game 1")
            try expectProblem(patch(rob, id, #"{"platformId": 130}"#), 422, "not on platform 130")
            let problem = try expectProblem(
                patch(rob, id, #"{"comment": 5, "gameId": null, "x": 1}"#), 422)
            #expect(
                memberErrors(problem) == [
                    "/gameId This must not be null; leave it out instead.",
                    "/comment This must be a string, not a number.", "/x This is not known here.",
                ])
            #expect(try rob.games() == [71, 120])
        }
    }

    @Test("are removed, and those behind move up")
    func remove() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48), (117, 48)])
            let id = try rob.ids()[1]
            let response = try rob.send("DELETE", "/me/list/entries/\(id)")
            #expect(response.status == 204)
            #expect(response.bytes.isEmpty)
            #expect(try rob.games() == [71, 117])
            #expect(try rob.entries().map { $0.int("position") } == [1, 2])
            try expectProblem(rob.send("DELETE", "/me/list/entries/\(id)"), 404)
        }
    }

    @Test("of others are 404, as if they were not there")
    func others() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let id = try rob.ids()[0]
            let eve = Person(server: rob.server, token: try await rob.server.makeUser("eve"))
            for entry in [id, Self.unknown] {
                try expectProblem(
                    patch(eve, entry, #"{"comment": "mine"}"#), 404, "no such entry")
                try expectProblem(
                    eve.send("DELETE", "/me/list/entries/\(entry)"), 404, "no such entry")
            }
            #expect(try rob.entries()[0].string("comment") == "")
            #expect(try rob.games() == [71])
        }
    }

    @Test("have ids that are UUIDs")
    func ids() async throws {
        try await Person.with { rob in
            for id in ["1", "x", "00000000000040008000000000000000", "%20"] {
                try expectProblem(patch(rob, id, "{}"), 404)
                try expectProblem(rob.send("DELETE", "/me/list/entries/\(id)"), 404)
            }
        }
    }
}
