import Postgres
import TestSupport
import Testing

@_spi(Writing) @testable import Storage

@Suite("How recent a read has to be", .blocking)
struct RecencyTests {
    @Test("is a position in a log that can be compared on its timeline")
    func positions() throws {
        let position = try #require(LogPosition("0000000A:16/B374D848"))
        #expect(position.timeline == "0000000A" && position.offset == 0x16_B374_D848)
        #expect(position.description == "0000000A:16/B374D848")
        #expect(LogPosition(timeline: "00000001", "0/0")?.description == "00000001:0/0")
        #expect(position.covers(position))
        for (text, isCovered) in [
            ("0000000A:16/B374D847", true), ("0000000A:15/FFFFFFFF", true),
            ("0000000A:16/B374D849", false), ("0000000A:17/0", false),
            ("00000009:0/0", false), ("0000000B:0/0", false),
        ] {
            let other = try #require(LogPosition(text))
            #expect(position.covers(other) == isCovered, "\(text)")
        }
        for text in [
            "", "16/B374D848", "A:16/B374D848", "0000000A:16", "0000000A:16/", "0000000A:/16",
            "0000000A:16/B374D848/1", "0000000A:1B374D8481/0", "0000000G:1/1", "0000000A:1/1:1",
        ] { #expect(LogPosition(text) == nil, "\(text)") }
    }

    @Test("takes no question to the primary while the last one is recent enough")
    func checks() async throws {
        let database = try TestDatabase(.migrated)
        try await withStore(database) { store in
            let feed = ChangeFeed(store.database.pool)
            let hour = Recency(age: .seconds(3600))
            #expect(!feed.isRecent(hour), "nothing is known yet")
            #expect(await feed.catchUp(hour))
            #expect(feed.checks == 1 && feed.isRecent(hour))
            #expect(await feed.catchUp(hour, isForStandby: true))
            #expect(feed.checks == 1)
            #expect(!feed.isRecent(.exact) && !feed.isRecent(Recency(age: .zero)))

            let position = try #require(await feed.position())
            #expect(feed.checks == 2)
            #expect(feed.isRecent(Recency(age: .seconds(3600), position: position)))
            // A write after that one, of which this feed has not heard.
            try database.session().execute("UPDATE users SET bio = ''")
            _ = try database.makeUser("rob")
            let later: String = try database.session().query(
                "SELECT \(PostgresPool.timeline) || ':' || pg_current_wal_insert_lsn()")[0][0]
            let end = try #require(LogPosition(later))
            let newer = Recency(age: .seconds(3600), position: end)
            #expect(!feed.isRecent(newer))
            #expect(await feed.catchUp(newer, isForStandby: true))
            #expect(feed.checks == 3 && feed.isRecent(newer))
            let other = try #require(LogPosition("0000FFFF:0/0"))
            let elsewhere = Recency(age: .seconds(3600), position: other)
            #expect(!feed.isRecent(elsewhere), "another timeline")
        }
    }
}
