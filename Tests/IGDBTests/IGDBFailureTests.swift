import Foundation
import Sockets
import TestSupport
import Testing

@testable import IGDB

@Suite("The client of IGDB, when things go wrong,", .blocking)
struct IGDBFailureTests {
    @Test(
        "tells what kind of failure it was, and works again",
        arguments: [
            (400, "[{\"title\": \"Syntax Error\", \"status\": 400}]", IGDBError.Code.badResponse),
            (403, "[{\"title\": \"Forbidden\", \"status\": 403}]", .unauthorized),
            (404, "Endpoint POST /games not found", .badResponse),
            (406, "[{\"title\": \"Not Acceptable\", \"status\": 406}]", .badResponse),
            (408, "[{\"title\": \"Request Timeout\", \"status\": 408}]", .unavailable),
            (413, "{\"title\": \"Request Too Large\", \"status\": 413}", .badResponse),
            (302, "", .badResponse), (500, "", .unavailable), (502, "<html>", .unavailable),
            (503, "", .unavailable), (504, "", .unavailable),
        ])
    func statuses(_ status: Int, _ body: String, _ code: IGDBError.Code) async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.status, status: status, body: body)
            try await fixture.expectFailure(code)
            try await fixture.expectResponse()
            #expect(try fixture.standIn.log().questions.map(\.status) == [status, 200])
        }
    }

    @Test(
        "takes nothing for a response that is none",
        arguments: [
            (IGDBStandIn.Misdeed.malformed, IGDBError.Code.badResponse), (.oversize, .badResponse),
            (.cut, .unavailable), (.drop, .unavailable),
        ])
    func broken(_ misdeed: IGDBStandIn.Misdeed, _ code: IGDBError.Code) async throws {
        try await IGDBFixture.run { fixture in
            // A request that an open connection drops is sent once more by libcurl, rightly.
            try fixture.standIn.next(misdeed, times: misdeed == .drop ? 2 : 1)
            let failure = try await fixture.failure()
            #expect(failure?.code == code)
            try await fixture.expectResponse()
        }
    }

    @Test("gives up on a response that never comes, and works again")
    func hanging() async throws {
        try await IGDBFixture.run { fixture in
            try await fixture.expectResponse()
            try fixture.standIn.next(.hang)
            let failure = try await fixture.failureAfterTimeout()
            #expect(failure?.code == .unavailable)
            try await fixture.expectResponse()
        }
    }

    @Test(
        "finds nothing in a response of another shape",
        arguments: [
            "[]", "{}", "null", "5", "[5, null, {\"result\": 5}, {\"result\": [{\"id\": 1}]}]",
            "[{\"name\": \"words\"}]", "[{\"result\": [{\"id\": -1, \"name\": \"a\"}]}]",
        ])
    func shapes(_ body: String) async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.malformed, body: body)
            #expect(try await fixture.search("anything") == [])
        }
    }

    @Test("waits and asks once more if it was too fast, and holds the others back meanwhile")
    func slowedDown() async throws {
        try await IGDBFixture.run { fixture in
            try await fixture.expectResponse()
            try fixture.standIn.next(
                .status, status: 429, body: "{\"message\": \"Too Many Requests\"}")
            let first = fixture.ask()
            try await fixture.waits(1)
            let others = (0..<2).map { _ in fixture.ask() }
            try await fixture.waits(3)
            await fixture.advance(by: .milliseconds(1999))
            try await fixture.waits(3)
            #expect(try fixture.standIn.log().questions.map(\.status) == [200, 429])
            await fixture.advance(by: .milliseconds(1))
            for task in [first] + others { #expect(try await value(of: task) == nil) }
            let questions = try fixture.standIn.log().questions
            #expect(questions.map(\.status) == [200, 429, 200, 200, 200])
        }
    }

    @Test("gives up if it is too fast for IGDB all the same")
    func tooFast() async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.status, times: 2, status: 429)
            let task = fixture.ask()
            try await fixture.waits(1)
            await fixture.advance(by: .seconds(2))
            #expect(try await value(of: task)?.code == .tooManyRequests)
            #expect(try fixture.standIn.log().questions.count == 2)
        }
    }

    @Test("leaves IGDB alone after some failures in a row, which costs nobody time")
    func circuit() async throws {
        try await IGDBFixture.run { fixture in
            try await fixture.expectResponse()
            try fixture.standIn.next(.hang, times: 1000)
            for _ in 0..<3 {
                let failure = try await fixture.failureAfterTimeout()
                #expect(failure?.code == .unavailable)
            }
            // The clock stands still, so these do not wait.
            for _ in 0..<100 { try await fixture.expectFailure(.circuitOpen) }
            // The client may stop waiting before IGDB has read the question.
            try await eventually("all questions") {
                try fixture.standIn.log().questions.count >= 4
            }
            #expect(try fixture.standIn.log().questions.count == 4)
        }
    }

    @Test("finds out that IGDB is back")
    func back() async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.cut, times: 3)
            for _ in 0..<3 { try await fixture.expectFailure(.unavailable) }
            try await fixture.expectFailure(.circuitOpen)
            await fixture.advance(by: .seconds(5))
            try await fixture.expectResponse()
            #expect(try fixture.standIn.log().questions.count == 4)
        }
    }

    @Test("tells that nobody is there")
    func away() async throws {
        let port = try UnusedPort()
        try await IGDBFixture.run(apiURL: "http://127.0.0.1:\(port.number)/v4") { fixture in
            try await fixture.expectFailure(.unavailable)
        }
    }

    @Test("shows no token and no secret in an error or a log line, even if IGDB repeats them")
    func secrets() async throws {
        try await IGDBFixture.run { fixture in
            var said: [String] = []
            var tokens: [String] = []
            func note(_ failure: IGDBError?) throws {
                let failure = try #require(failure)
                said += ["\(failure)", String(reflecting: failure), failure.localizedDescription]
                var text = ""
                dump(failure, to: &text)
                said.append(text)
                tokens += try fixture.standIn.log().liveTokens
            }
            try fixture.standIn.next(.echo, on: .token)
            try note(try await fixture.failure())
            for misdeed in [IGDBStandIn.Misdeed.echo, .malformed, .oversize] {
                try fixture.standIn.next(misdeed)
                try note(try await fixture.failure())
            }
            try await fixture.expectResponse()
            let token = try #require(fixture.tokens.token?.text)
            for secret in [token, IGDBStandIn.clientSecret] {
                try fixture.standIn.next(.status, status: 403, body: "Not you, \(secret)!")
                try note(try await fixture.failure())
                try fixture.standIn.next(
                    .status, status: 400, body: String(repeating: "x", count: 190) + secret)
                try note(try await fixture.failure())
            }
            said += fixture.log.elements
            #expect(!tokens.isEmpty)
            let escaped = IGDBStandIn.clientSecret.addingPercentEncoding(
                withAllowedCharacters: .alphanumerics)
            for secret in tokens + [IGDBStandIn.clientSecret, try #require(escaped)] {
                for text in said {
                    #expect(!text.contains(secret.prefix(8)), "\(text)")
                }
            }
            #expect(fixture.log.elements.contains { $0.contains("a new IGDB token") })
        }
    }

    @Test("shows no secret that a store's error or a description holds")
    func described() {
        let token = IGDBToken(text: "token-4711", expiresAt: Date())
        let configuration = IGDBConfiguration(clientID: "id", clientSecret: "secret-4711")
        for text in [
            "\(token)", String(reflecting: token), "\(configuration)",
            String(reflecting: configuration),
        ] { #expect(!text.contains("4711"), "\(text)") }
    }
}
