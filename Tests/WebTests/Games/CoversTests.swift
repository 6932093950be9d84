import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Covers that the site serves itself, from a stand-in for IGDB's image host.
@Suite("Covers from the site itself", .blocking)
struct CoversTests {
    /// The cover of a game in the starter catalogue.
    private static let portal = "co1x7d"
    private static let path = "/covers/cover_big/\(portal).jpg"

    private let host = ImageHost()

    /// Runs `body` with a server that stores covers in a folder, which is deleted afterwards.
    private func run(
        settings: [String: String] = [:],
        _ body: (TestServer, _ folder: String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-covers-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await host.serve(folder: folder) { proxied in
            try await TestServer.run(settings: proxied.merging(settings) { $1 }) { server in
                let session = try server.database.session()
                try session.execute(
                    "UPDATE games SET cover_image_id = '\(Self.portal)' WHERE id = 71")
                try await body(server, folder)
            }
        }
    }

    @Test("are served as pictures that every cache may store")
    func served() async throws {
        try await run { server, _ in
            let response = try server.send("GET", Self.path)
            #expect(response.status == 200)
            #expect(response.bytes == ImageHost.cover)
            #expect(response["content-type"] == "image/jpeg")
            #expect(response["cache-control"] == "public, max-age=31536000, immutable")
            let tag = try #require(response["etag"])
            let again = try server.send("GET", Self.path, fields: [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(again.bytes.isEmpty)
            let head = try server.send("HEAD", Self.path)
            #expect(head.status == 200)
            #expect(head["etag"] == tag)
            #expect(host.paths == ["/images/t_cover_big/\(Self.portal).jpg"])
        }
    }

    @Test("are fetched once, whoever asks and however often, also by the next server")
    func once() async throws {
        try await run { server, folder in
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try server.send("GET", Self.path).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(host.paths.count == 1)
            let file = "\(folder)/cover_big/\(Self.portal).jpg"
            try await eventually("the file") { FileManager.default.fileExists(atPath: file) }
            host.answer(.serviceUnavailable)
            try await host.serve(folder: folder) { settings in
                try await TestServer.run(on: server.database, settings: settings) { next in
                    let status = try next.send("GET", Self.path).status
                    #expect(status == 200, "the host is down")
                }
            }
            #expect(host.paths.count == 1)
        }
    }

    @Test(
        "are only those of games that the site knows, in the sizes that it uses",
        arguments: [
            "/covers/cover_big/co99unknown.jpg", "/covers/original/co1x7d.jpg",
            "/covers/cover_big/co1x7d.png", "/covers/cover_big/co1x7d", "/covers/cover_big/.jpg",
            "/covers/t_cover_big/co1x7d.jpg", "/covers/cover_big/CO1X7D.jpg",
            "/covers/cover_big/..%2e.jpg", "/covers/cover_big/co1x7d.jpg.jpg",
            "/covers/cover_big/\(String(repeating: "a", count: 65)).jpg",
            "/covers/cover_big/co1x7d%3f.jpg", "/covers/cover_big/%40host.jpg",
            "/covers/cover_big/a%00.jpg", "/covers/cover_big/a%2F..%2Fb.jpg",
        ])
    func hostile(path: String) async throws {
        try await run { server, _ in
            let response = try server.send("GET", path)
            #expect(response.status == 404 || response.status == 400)
            #expect(host.paths.isEmpty)
        }
    }

    @Test(
        "are nothing that the host sends instead of one",
        arguments: [
            (200, "text/html", Array("<script>".utf8)),
            (200, "image/jpeg", Array("<script>".utf8)),
            (200, "image/jpeg", Array(ImageHost.cover.dropLast(9))),
            (200, "image/png", ImageHost.cover), (404, "image/jpeg", ImageHost.cover),
            (500, "image/jpeg", ImageHost.cover), (302, "image/jpeg", ImageHost.cover),
            (200, "image/jpeg", []),
        ])
    func impostors(status: Int, type: String, body: [UInt8]) async throws {
        host.answer(.init(code: status), type: type, body)
        try await run { server, folder in
            for _ in 0..<3 {
                let response = try server.send("GET", Self.path)
                #expect(response.status == 404)
                #expect(response["cache-control"]?.contains("immutable") != true)
            }
            #expect(host.paths.count == 1, "it isn't asked again and again")
            #expect(!FileManager.default.fileExists(atPath: folder + "/cover_big"))
        }
    }

    @Test("aren't those of games that are hidden")
    func hidden() async throws {
        try await run { server, _ in
            let session = try server.database.session()
            try session.execute("UPDATE games SET adult_by_hand = true WHERE id = 71")
            #expect(try server.send("GET", Self.path).status == 404)
            #expect(host.paths.isEmpty)
            for (isAdult, status) in [("NULL", 200), ("true", 404)] {
                try session.execute("UPDATE games SET adult_by_hand = \(isAdult) WHERE id = 71")
                for _ in 0..<2 { #expect(try server.send("GET", Self.path).status == status) }
            }
        }
    }

    @Test(
        "are the only ones that pages, embeds and the API name, and no policy allows another host")
    func noThirdParty() async throws {
        try await run { server, _ in
            let rob = try await server.makeUser("rob")
            let saved = try server.send(
                "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 71, "platformId": 6, "comment": "Cake."}]}"#)
            #expect(saved.status == 200)
            var covers = 0
            for address in [
                "/", "/@rob", "/@rob/embed", "/@rob/share", "/games/71", "/games?search=portal",
                "/platforms", "/platforms/win", "/platforms/win/games/71", "/entries", "/users",
                "/me", "/privacy", "/about", "/nothing", "/@nobody/embed",
                "/covers/cover_big/none.jpg",
                "/api/v1/games/71", "/api/v1/users/rob/list", "/api/v1/games?search=portal",
                "/api/v0/games?search=portal", "/@rob/feed",
                "/oembed?url=https://fave.example/@rob",
            ] {
                // The second time, from a cache.
                _ = try server.send("GET", address)
                let response = try server.send("GET", address)
                let policy = response["content-security-policy"] ?? ""
                #expect(!policy.contains("http"), "\(address): \(policy)")
                #expect(
                    !response.text.contains("images.igdb.com/igdb/image/upload/t_cover"),
                    "\(address)")
                if address.hasPrefix("/api/v0") { continue }
                #expect(!response.text.contains("images.igdb.com"), "\(address)")
                if response.text.contains("/covers/cover_") { covers += 1 }
            }
            #expect(covers > 8)
            let game = try server.send("GET", "/api/v1/games/71").object
            #expect(game["coverUrl"] as? String == "https://fave.example" + Self.path)
            #expect(try server.send("GET", "/@rob").text.contains("src=\"\(Self.path)\""))
            let list = try server.send("GET", "/@rob").text
            #expect(list.contains("\"image\":\"https://fave.example\(Self.path)\""))
            let page = try server.send("GET", "/games/71").text
            #expect(
                page.contains("property=\"og:image\" content=\"https://fave.example\(Self.path)\""))
            let export = try server.send("GET", "/api/v1/me/export", token: rob).text
            #expect(export.contains("\"coverUrl\":\"https://fave.example\(Self.path)\""))
            #expect(!export.contains("images.igdb.com"))
        }
    }

    @Test("share their fetches with the pictures of lists")
    func cards() async throws {
        try await run { server, _ in
            let rob = try await server.makeUser("rob")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 71, "platformId": 6}]}"#)
            let cover = try server.send("GET", "/covers/cover_big_2x/\(Self.portal).jpg")
            #expect(cover.status == 200)
            let moved = try server.send("GET", "/@rob/card-0.png")
            let card = try server.send("GET", try #require(moved["location"]))
            #expect(card.status == 200)
            #expect(host.paths == ["/images/t_cover_big_2x/\(Self.portal).jpg"])
        }
    }

    @Test("aren't there unless the operator wants them")
    func direct() async throws {
        try await TestServer.run { server in
            let session = try server.database.session()
            try session.execute("UPDATE games SET cover_image_id = '\(Self.portal)' WHERE id = 71")
            #expect(try server.send("GET", Self.path).status == 404)
            let page = try server.send("GET", "/games/71")
            #expect(page.text.contains("https://images.igdb.com/igdb/image/upload/t_cover_big/"))
            let game = try server.send("GET", "/api/v1/games/71").object
            #expect(
                game["coverUrl"] as? String
                    == "https://images.igdb.com/igdb/image/upload/t_cover_big/\(Self.portal).jpg")
            #expect(!page.text.contains("/covers/"))
            #expect(
                page["content-security-policy"]?.contains(
                    "img-src 'self' https://images.igdb.com;") == true)
        }
    }

    @Test("are counted for monitors")
    func metrics() async throws {
        try await run(settings: ["ADMIN_LISTEN": "127.0.0.1:0"]) { server, _ in
            _ = try server.send("GET", Self.path)
            _ = try server.send("GET", Self.path)
            let connection = try RawConnection(port: server.adminPort)
            try connection.send(
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let text = try connection.readResponse().text
            #expect(text.contains("fave_cover_requests_total{result=\"fetched\"} 1"))
            #expect(text.contains("fave_cover_requests_total{result=\"memory\"} 1"))
            #expect(text.contains("fave_cover_fetched_bytes_total \(ImageHost.cover.count)"))
        }
    }
}
