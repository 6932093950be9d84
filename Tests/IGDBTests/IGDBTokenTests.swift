import Foundation
import TestSupport
import Testing

@testable import IGDB

@Suite("The token for IGDB", .blocking)
struct IGDBTokenTests {
    @Test("is minted once for all who ask while there is none, and stored")
    func once() async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.delay(.token, milliseconds: 100)
            let tasks = (0..<6).map { _ in fixture.ask() }
            for task in tasks { #expect(try await value(of: task) == nil) }
            let log = try fixture.standIn.log()
            #expect(log.minted == 1)
            #expect(log.liveTokens == [fixture.tokens.token?.text])
            #expect(fixture.tokens.saveCount == 1)
        }
    }

    @Test("is one for thirty clients that share a store, so that none is ended")
    func shared() async throws {
        let standIn = try IGDBStandIn()
        let tokens = MemoryTokenStore()
        for _ in 0..<30 {
            try await IGDBFixture.run(standIn: standIn, tokens: tokens) { fixture in
                try await fixture.expectResponse()
            }
        }
        let log = try standIn.log()
        #expect(log.minted == 1)
        #expect(log.questions.count == 30)
    }

    @Test("is minted anew once if it died early, and what was asked is asked once more")
    func died() async throws {
        try await IGDBFixture.run { fixture in
            try await fixture.expectResponse()
            let old = fixture.tokens.token
            try fixture.standIn.endTokens()
            try await fixture.expectResponse()
            let log = try fixture.standIn.log()
            #expect(log.minted == 2)
            #expect(log.questions.map(\.status) == [200, 401, 200])
            #expect(fixture.tokens.token != old)
            #expect(log.liveTokens == [fixture.tokens.token?.text])
        }
    }

    @Test("is minted anew once for all who find it dead at once")
    func diedForMany() async throws {
        try await IGDBFixture.run { fixture in
            try await fixture.expectResponse()
            try fixture.standIn.endTokens()
            try fixture.standIn.delay(milliseconds: 100)
            try fixture.standIn.delay(.token, milliseconds: 100)
            let tasks = (0..<6).map { _ in fixture.ask() }
            for task in tasks { #expect(try await value(of: task) == nil) }
            #expect(try fixture.standIn.log().minted == 2)
        }
    }

    @Test("that another process has replaced is taken from the store, not minted")
    func replaced() async throws {
        let standIn = try IGDBStandIn()
        try await IGDBFixture.run(standIn: standIn) { fixture in
            try await fixture.expectResponse()
            let dead = try #require(fixture.tokens.token)
            try standIn.endTokens()
            let tokens = MemoryTokenStore()
            try await IGDBFixture.run(standIn: standIn, tokens: tokens) { other in
                try await other.expectResponse()
            }
            let live = try #require(tokens.token)
            _ = try await fixture.tokens.save(live, replacing: dead)
            try await fixture.expectResponse()
            #expect(try standIn.log().minted == 2)
        }
    }

    @Test("is not minted again and again if none is taken")
    func neverTaken() async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.status, times: 10, status: 401)
            let failure = try await fixture.failure()
            #expect(failure?.code == .unauthorized)
            let log = try fixture.standIn.log()
            #expect(log.questions.count == 2)
            #expect(log.minted == 2)
        }
    }

    @Test("that is stored is used after a restart, unless it ends soon", arguments: [true, false])
    func stored(isGood: Bool) async throws {
        let standIn = try IGDBStandIn()
        let tokens = MemoryTokenStore()
        try await IGDBFixture.run(standIn: standIn, tokens: tokens) { fixture in
            try await fixture.expectResponse()
        }
        let minted = try #require(tokens.token)
        let later = MemoryTokenStore(
            isGood ? minted : IGDBToken(text: minted.text, expiresAt: Date().addingTimeInterval(5)))
        try await IGDBFixture.run(standIn: standIn, tokens: later) { fixture in
            try await fixture.expectResponse()
        }
        #expect(try standIn.log().minted == (isGood ? 1 : 2))
    }

    @Test("that is good for minutes only is not minted for each request")
    func shortLived() async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.setTokenLifetime(seconds: 600)
            for _ in 0..<3 { try await fixture.expectResponse() }
            #expect(try fixture.standIn.log().minted == 1)
        }
    }

    @Test("is refused for wrong credentials, which is told at once", arguments: [true, false])
    func wrongCredentials(wrongID: Bool) async throws {
        let id = wrongID ? "nobody" : IGDBStandIn.clientID
        try await IGDBFixture.run(secret: "wrong", id: id) { fixture in
            try await fixture.expectFailure(.unauthorized)
            let log = try fixture.standIn.log()
            #expect(log.questions.isEmpty)
            #expect(log.requests.map(\.status) == [wrongID ? 400 : 403])
        }
    }

    @Test(
        "is none if what Twitch says is none",
        arguments: [
            "", "[]", "{}", "{\"access_token\": \"\", \"expires_in\": 9}", "not JSON",
            "{\"access_token\": \"a\"}", "{\"access_token\": \"a\", \"expires_in\": -1}",
            "{\"access_token\": 5, \"expires_in\": 99999}",
            "{\"access_token\": \"a\\r\\nX: y\", \"expires_in\": 99999}",
        ])
    func badResponse(_ body: String) async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(.malformed, on: .token, body: body)
            try await fixture.expectFailure(.badResponse)
            #expect(fixture.tokens.token == nil)
            try await fixture.expectResponse()
        }
    }

    @Test(
        "can be had later if Twitch fails once",
        arguments: [IGDBStandIn.Misdeed.status, .cut, .drop, .hang])
    func failing(_ misdeed: IGDBStandIn.Misdeed) async throws {
        try await IGDBFixture.run { fixture in
            try fixture.standIn.next(misdeed, on: .token, status: 503)
            let failure =
                try await (misdeed == .hang ? fixture.failureAfterTimeout() : fixture.failure())
            #expect(failure?.code == .unavailable)
            try await fixture.expectResponse()
        }
    }
}
