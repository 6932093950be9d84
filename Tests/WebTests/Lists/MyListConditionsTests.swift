import TestSupport
import Testing

@Suite("One's list, under conditions,", .blocking)
struct MyListConditionsTests {
    @Test("is not sent twice, and has another tag after a change")
    func reading() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let first = try #require(try rob.send("GET", "/me/list")["etag"])
            func status(_ tag: String) throws -> Int {
                try rob.send("GET", "/me/list", fields: [("If-None-Match", tag)]).status
            }
            #expect(try status(first) == 304)
            #expect(try status("*") == 304)
            #expect(try status("\"other\"") == 200)
            let second = try #require(try rob.put([(120, 48)])["etag"])
            #expect(second != first)
            #expect(try status(first) == 200)
            #expect(try status(second) == 304)
        }
    }

    @Test("is replaced only if it is what the client knows")
    func writing() async throws {
        try await Person.with { rob in
            let first = try #require(try rob.put([(71, 6)])["etag"])
            let second = try #require(
                try rob.put([(120, 48)], fields: [("If-Match", first)])["etag"])
            let stale = try rob.put([(117, 48)], fields: [("If-Match", first)])
            try expectProblem(stale, 412, "has changed")
            #expect(try rob.games() == [120])
            #expect(
                try rob.put([(117, 48)], fields: [("If-Match", "\"x\", \(second)")]).status == 200)
            #expect(try rob.games() == [117])
            #expect(try rob.put([(71, 6)], fields: [("If-Match", "*")]).status == 200)
            #expect(try rob.games() == [71])
        }
    }

    @Test("is not replaced by a client that does not say what it knows")
    func unconditionally() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let response = try rob.send("PUT", "/me/list", #"{"entries": []}"#)
            try expectProblem(response, 428, "If-Match")
            // What is wrong with the body is said first.
            try expectProblem(rob.send("PUT", "/me/list", "{}"), 422)
            #expect(try rob.games() == [71])
        }
    }

    @Test("is not replaced if the client's condition cannot be met or read")
    func otherConditions() async throws {
        try await Person.with { rob in
            let tag = try #require(try rob.put([(71, 6)])["etag"])
            func status(_ name: String, _ value: String) throws -> Int {
                try rob.put([(120, 48)], fields: [(name, value)]).status
            }
            #expect(try status("If-Match", "W/" + tag) == 412, "a weak tag matches nothing")
            #expect(try status("If-None-Match", "*") == 412)
            #expect(try status("If-None-Match", tag) == 412)
            #expect(try status("If-Match", "no tag") == 400)
            #expect(try status("If-Match", "") == 400)
            #expect(try rob.games() == [71])
            #expect(try status("If-None-Match", "\"x\"") == 200)
        }
    }

    @Test("is one of several things that conditions guard")
    func others() async throws {
        try await Person.with { rob in
            let stale: [(String, String)] = [("If-Match", "\"stale\"")]
            let me = try #require(try rob.send("GET", "/me")["etag"])
            func rename(_ name: String, _ tag: String) throws -> RawResponse {
                try rob.send(
                    "PATCH", "/me", #"{"displayName": "\#(name)"}"#, fields: [("If-Match", tag)])
            }
            let renamed = try rename("Robert", me)
            #expect(renamed.status == 200)
            #expect(try rob.send("GET", "/me")["etag"] == renamed["etag"])
            try expectProblem(rename("Bob", me), 412, "has changed")
            try expectProblem(rob.send("DELETE", "/me?username=rob", fields: stale), 412)
            #expect(try rob.send("GET", "/me").object.string("displayName") == "Robert")

            try rob.put([(71, 6)])
            let id = try #require(try rob.ids().first)
            for (method, json) in [("PUT", #"{"reasons": "x"}"#), ("DELETE", nil)] {
                let response = try rob.server.send(
                    method, "/api/v0/my-fave-games/\(id)", token: rob.token, fields: stale,
                    json: json)
                #expect(response.status == 412)
            }
            #expect(try rob.games() == [71])
        }
    }

    @Test("has a tag that goes with what PUT returned")
    func tagOfResponse() async throws {
        try await Person.with { rob in
            let response = try rob.put([(71, 6), (120, 48)])
            #expect(try rob.send("GET", "/me/list")["etag"] == response["etag"])
        }
    }
}
