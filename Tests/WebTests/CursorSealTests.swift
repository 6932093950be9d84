import Encodings
import Endpoints
import FaveGames
import Foundation
import Identity
import TestSupport
import Testing

@testable import Web

@Suite("A cursor that a client carries", .blocking)
struct CursorSealTests {
    private static func key() throws -> SigningKey { try #require(SigningKey(SigningKey.make())) }

    private static func cursor(_ sortName: String = "a") -> RankingCursor {
        RankingCursor(
            platformID: 48, includedBy: 5, sortName: sortName, gameID: 71, rank: 1, position: 1)
    }

    @Test("stands in a query as it is, and comes back as it was, whatever its length")
    func alphabet() throws {
        let seal = CursorSeal([try Self.key()])
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for length in 0..<64 {
            let cursor = Self.cursor(String(repeating: "ÿ>?", count: length))
            let text = try #require(seal.seal(cursor))
            #expect(text.allSatisfy(allowed.contains))
            #expect(seal.open(text) == cursor)
        }
    }

    @Test("is taken as long as the key is known that it was encrypted with")
    func rotation() throws {
        let old = try Self.key()
        let new = try Self.key()
        let text = try #require(CursorSeal([old]).seal(Self.cursor()))
        #expect(CursorSeal([new, old]).open(text) == Self.cursor())
        let opened: RankingCursor? = CursorSeal([new]).open(text)
        #expect(opened == nil)
        #expect(CursorSeal([]).seal(Self.cursor()) == nil)
    }

    @Test("is not taken if a bit of it is another")
    func tampering() throws {
        let seal = CursorSeal([try Self.key()])
        let text = try #require(seal.seal(Self.cursor()))
        let bytes = try #require(Base64URL.decode(text.utf8))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let opened: RankingCursor? = seal.open(Base64URL.encode(changed))
                #expect(opened == nil, "byte \(index), bit \(bit)")
            }
        }
        let shortened: RankingCursor? = seal.open(Base64URL.encode(bytes.dropLast()))
        #expect(shortened == nil)
    }

    @Test("of one kind is not one of the other")
    func kinds() throws {
        let seal = CursorSeal([try Self.key()])
        let opened: InclusionCursor? = seal.open(try #require(seal.seal(Self.cursor())))
        #expect(opened == nil)
        let other: AnyText<Two>? = seal.open(try #require(seal.seal(AnyText<One>(text: "x"))))
        #expect(other == nil, "whatever the text says")
    }

    private protocol Letter { static var letter: String { get } }
    private enum One: Letter { static let letter = "1" }
    private enum Two: Letter { static let letter = "2" }

    private struct AnyText<Kind: Letter>: CursorCoding {
        static var letter: String { Kind.letter }
        let text: String
    }

    @Test("says nothing about what it leads to, but that equal ones are equal")
    func secrecy() throws {
        let seal = CursorSeal([try Self.key()])
        let cursors = (0..<100).map { _ in InclusionCursor(createdAt: 5, id: UUID()) }
        var nonces: Set<Data> = []
        for cursor in cursors {
            let text = try #require(seal.seal(cursor))
            let bytes = try #require(Base64URL.decode(text.utf8))
            #expect(bytes.range(of: Data(cursor.id.uuidString.utf8)) == nil)
            #expect(bytes.range(of: withUnsafeBytes(of: cursor.id.uuid) { Data($0) }) == nil)
            #expect(seal.seal(cursor) == text, "or else each response would have a tag of its own")
            nonces.insert(bytes.prefix(12))
        }
        #expect(nonces.count == cursors.count)
    }

    @Test(
        "is nothing that was not encrypted",
        arguments: [
            "", "a", "!!!!", "====", "null", "💩", "r1", String(repeating: "A", count: 43),
            String(repeating: "A", count: 5000),
            // As they were before they were signed, and before they were encrypted.
            Base64URL.encode("r1\n5\n71\n1\n1\na".utf8),
            Base64URL.encode(Array(repeating: 0, count: 32) + Array("r1\n5\n71\n1\n1\na".utf8)),
        ])
    func garbage(text: String) throws {
        let opened: RankingCursor? = CursorSeal([try Self.key()]).open(text)
        #expect(opened == nil)
    }

    @Test("made by one process is taken by another, and by all pages of the site")
    func processes() async throws {
        let server = try await World.shared.server
        let other = try await TestServer.beside(server)
        let path = "/api/v1/platforms/ps3/ranking?limit=5"
        let next = try #require(try server.send("GET", path).object.string("nextCursor"))
        let page = try other.send("GET", "\(path)&cursor=\(next)")
        #expect(page.status == 200)
        #expect(try page.object.objects("games").count == 5)
        let later = try other.send("GET", "/platforms/ps3?cursor=\(next)")
        #expect(later.status == 200 && later.text.contains("class=\"rows\""))
        #expect(!later.text.contains("podium"), "the first five stand on the first page")
        await other.stop()
    }

    private static func links(_ response: RawResponse) -> [String: String] {
        var links: [String: String] = [:]
        for match in (response["link"] ?? "").matches(of: /<([^>]*)>; rel="([a-z]+)"/) {
            links[String(match.2)] = String(match.1)
        }
        return links
    }

    /// What tells the things of a page apart.
    private static func ids(_ response: RawResponse, _ member: String) throws -> [String] {
        try response.object.objects(member).map { thing in
            thing.string("id") ?? (thing["game"] as? [String: Any])?.int("id").map(String.init)
                ?? ""
        }
    }

    @Test(
        "stands in Link fields, with the rest of the query",
        arguments: [
            ("/api/v1/platforms/ps3/ranking", "limit=25&comments=0", "games", 60),
            ("/api/v1/entries", "platform=ps3&limit=25", "entries", 60),
            ("/api/v1/platforms/12/games/73/entries", "limit=20", "entries", 35),
        ])
    func links(path: String, query: String, member: String, count: Int) async throws {
        let world = try await World.shared
        let root = "https://fave.example"
        let first = "\(root)\(path)?\(query)"
        var address: String? = first
        var found = 0
        var before: [String]?
        while let target = address, found < 1000 {
            #expect(target.hasPrefix(first))
            let response = try world.get(String(target.dropFirst(root.count)))
            #expect(response.status == 200)
            let links = Self.links(response)
            #expect(links["first"] == first)
            let object = try response.object
            for (relation, member) in [("next", "nextCursor"), ("prev", "previousCursor")] {
                #expect(links[relation] == object.string(member).map { "\(first)&cursor=\($0)" })
            }
            #expect((links["prev"] == nil) == (target == first))
            if let before, let previous = links["prev"] {
                let response = try world.get(String(previous.dropFirst(root.count)))
                #expect(try Self.ids(response, member) == before)
            }
            before = try Self.ids(response, member)
            found += try response.object.objects(member).count
            address = links["next"]
        }
        #expect(found == count)
    }

    @Test("of one platform's ranking is none of another's")
    func platforms() async throws {
        let world = try await World.shared
        let first = try world.get("/api/v1/platforms/ps3/ranking?limit=5").object
        let next = try #require(first.string("nextCursor"))
        #expect(try world.get("/api/v1/platforms/9/ranking?cursor=\(next)").status == 200)
        try expectProblem(
            world.get("/api/v1/platforms/48/ranking?cursor=\(next)"), 400, "another platform")
        #expect(try world.get("/platforms/ps4--1?cursor=\(next)").status == 400)
    }

    @Test("stands in no link that would be longer than the answer")
    func long() async throws {
        let world = try await World.shared
        let path = "/api/v1/entries?limit=1&x="
        #expect(try world.get(path + String(repeating: "x", count: 1000))["link"] != nil)
        let long = try world.get(path + String(repeating: "%22", count: 1000))
        #expect(long.status == 200)
        #expect(long["link"] == nil)
        #expect(try long.object.string("nextCursor") != nil)
    }

    @Test("stands in a link in which nothing breaks out of it")
    func escaping() async throws {
        let response = try await World.shared.get(
            "/api/v1/entries?search=%3E%22%2C%20%3Cx%3E%0D%0A&limit=1")
        #expect(response.status == 200)
        #expect(
            response["link"]
                == "<https://fave.example/api/v1/entries?search=%3E%22%2C%20%3Cx%3E%0D%0A&limit=1>"
                + "; rel=\"first\"")
    }
}
