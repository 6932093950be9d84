import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A server with two PostgreSQLs", .blocking, .thorough)
struct FailoverTests {
    private static let list = "/api/v1/users/rob/list"

    /// A primary, a standby that follows it, and a server that knows both.
    private struct Site: Sendable {
        let primary: TestCluster
        let standby: TestCluster
        let server: TestServer
        let rob: Person

        init(settings: [String: String] = [:]) async throws {
            primary = try TestCluster()
            let database = try TestDatabase(.seeded, in: primary)
            try primary.session().execute(
                "ALTER DATABASE \(database.name) SET synchronous_commit = on")
            standby = try primary.makeStandby()
            let both = TestCluster.url(database.name, of: [primary, standby])
            server = try await TestServer.on(
                database,
                settings: ["LOOPS": "1", "DATABASE_URL": both].merging(settings) { $1 })
            rob = Person(server: server, token: try await server.makeUser("rob"))
        }

        /// The address of one of the two, or both, with this site's database.
        func url(_ clusters: TestCluster...) -> String {
            TestCluster.url(server.database.name, of: clusters)
        }

        func say(_ comment: String) throws -> RawResponse {
            try rob.put(
                """
                {"entries": [{"gameId": 71, "platformId": 6, "comment": "\(comment)"}]}
                """)
        }

        /// What a stranger sees.
        func said() throws -> RawResponse { try server.send("GET", FailoverTests.list) }

        var comment: String? {
            get throws { try said().object.objects("entries").first?.string("comment") }
        }

        /// The same once there is a response, which may take several attempts where statements have little
        /// time.
        func commentInTheEnd() async throws -> String? {
            var response = try said()
            try await eventually("a response") {
                response = try said()
                return response.status == 200
            }
            return try response.object.objects("entries").first?.string("comment")
        }
    }

    @Test("goes on with the one that is promoted, and has lost no acknowledged write")
    func promotion() async throws {
        let site = try await Site()
        try site.primary.demandStandby()
        var acknowledged = 0
        var attempted = 0
        func write() throws -> RawResponse {
            attempted += 1
            let response = try site.say("Number \(attempted)")
            if response.status == 200 { acknowledged = attempted }
            return response
        }
        for _ in 0..<50 { #expect(try write().status == 200) }
        #expect(try site.comment == "Number 50")
        try site.primary.stop()
        // The standby takes no writes yet, and nobody is told that it did.
        for _ in 0..<5 { try expectProblem(write(), 503) }
        try site.standby.promote()
        try await eventually("the new primary") {
            let known = acknowledged
            let response = try site.said()
            guard response.status == 200 else { return false }
            let comment = try response.object.objects("entries").first?.string("comment")
            #expect(comment == "Number \(known)")
            return try write().status == 200
        }
        #expect(try site.comment == "Number \(acknowledged)")

        // The former primary is first in the address, but it is a standby now.
        try site.primary.startAsStandby(of: site.standby)
        try BlockingSession(connectionString: site.url(site.standby)).execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name LIKE 'fave-server%'
            """)
        try await eventually("a write") { try write().status == 200 }
        for _ in 0..<10 { #expect(try write().status == 200) }
        #expect(try site.comment == "Number \(acknowledged)")
        await site.server.stop()
    }

    @Test("keeps no response of a timeline that was lost")
    func lostTimeline() async throws {
        let site = try await Site()
        #expect(try site.say("Kept").status == 200)
        try site.standby.catchUp(with: site.primary)
        try site.standby.stop()
        #expect(try site.say("Lost").status == 200)
        for _ in 0..<2 { #expect(try site.comment == "Lost") }
        #expect(try site.said()["cache-status"] == "fave-games; hit; detail=checked")
        try site.primary.stop()
        try site.standby.start()
        try site.standby.promote()
        try await eventually("the new primary") {
            let response = try site.said()
            guard response.status == 200 else { return false }
            #expect(response.text.contains("Kept") && !response.text.contains("Lost"))
            return true
        }
        await site.server.stop()
    }

    @Test("gives up a primary that hangs, and never goes back to it once another was promoted")
    func formerPrimary() async throws {
        // In real time: nothing but the time that passes tells that a primary hangs.
        let site = try await Site(settings: ["STATEMENT_TIMEOUT_SECONDS": "1"])
        try await eventually("a write") { try site.say("Old").status == 200 }
        #expect(try await site.commentInTheEnd() == "Old")
        try site.standby.catchUp(with: site.primary)
        try site.primary.freeze()
        try site.standby.promote()
        try await eventually("the new primary") { try site.say("New").status == 200 }
        #expect(try await site.commentInTheEnd() == "New")
        // Now the former primary is the only one that responds, and it takes writes.
        try site.standby.stop()
        try site.primary.resume()
        try BlockingSession(connectionString: site.url(site.primary)).execute("SELECT 1")
        for _ in 0..<100 {
            try expectProblem(site.said(), 503)
            try expectProblem(site.say("Lost"), 503)
        }
        try site.standby.start()
        #expect(try await site.commentInTheEnd() == "New")
        try await eventually("a write") { try site.say("Newer").status == 200 }
        await site.server.stop()
    }

    @Test("says that the outcome of a write is unknown, and repeats it safely with its key")
    func unknownOutcome() async throws {
        let site = try await Site(settings: ["STATEMENT_TIMEOUT_SECONDS": "30"])
        try site.primary.demandStandby()
        try site.standby.freeze()
        @Sendable func post() throws -> RawResponse {
            try site.rob.send(
                "POST", "/me/list/entries", #"{"gameId": 71, "platformId": 6}"#,
                fields: [("Idempotency-Key", "a-long-key-of-rob")])
        }
        let responses = Recorder<RawResponse>()
        async let sent: Void = onThreads(1) { _ in responses.record(try post()) }
        // What waits for the standby is committed here.
        let session = try site.primary.session()
        try await eventually("a response") {
            try session.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE wait_event = 'SyncRep'
                """)
            return responses.count > 0
        }
        try await sent
        let response = try #require(responses.take().first)
        try expectProblem(response, 503, "unknown")
        #expect(response["retry-after"] == nil)
        try site.standby.resume()
        try await eventually("the response") { try post().status == 201 }
        #expect(try post()["idempotency-replayed"] == "true")
        #expect(try site.rob.games() == [71])
        await site.server.stop()
    }
}
