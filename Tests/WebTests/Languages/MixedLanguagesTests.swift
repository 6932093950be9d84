import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Responses in several languages at once", .blocking)
struct MixedLanguagesTests {
    /// A request, and the language that its response must have.
    private struct Asking {
        var method = "GET"
        /// Without the language.
        let page: String
        var target: String
        var fields: [(String, String)] = []
        /// `nil` for what is no page.
        var language: String?

        var text: String {
            let lines = [("Host", "fave.example")] + fields
            return "\(method) \(target) HTTP/1.1\r\n"
                + lines.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        }
    }

    private static let tags = ["en", "en-XA", "ar-XB"]
    private static let pages = [
        "/", "/about", "/privacy", "/api", "/platforms", "/platforms/win", "/games/71", "/@rob",
        "/entries", "/games?search=portal", "/nothing", "/entries?rating=9", "/users",
    ]
    private static let others = ["/robots.txt", "/api/v1/entries", "/@rob/embed", "/@rob/feed"]

    /// Which language each entity tag belongs to, and which tags each page had.
    private final class Tags: Sendable {
        private let languages = Mutex<[String: String]>([:])
        private let latest = Mutex<[String: [String]]>([:])

        /// - Returns: Whether the tag has never belonged to another language.
        func note(_ tag: String, _ language: String, of page: String) -> Bool {
            latest.withLock { $0[page, default: []].append(tag) }
            return languages.withLock { languages in
                if let known = languages[tag] { return known == language }
                languages[tag] = language
                return true
            }
        }

        /// A tag that a page had lately, in any language.
        func any(of page: String, _ random: inout Random) -> String? {
            latest.withLock { $0[page]?.suffix(6).randomElement(using: &random) }
        }

        func language(of tag: String) -> String? { languages.withLock { $0[tag] } }
    }

    private static func asking(
        _ random: inout Random, _ tags: Tags, session: String
    ) -> Asking {
        if random.chance(10) {
            let target = others[random.below(others.count)]
            return Asking(
                page: target, target: random.chance(50) ? target : target + "?lang=ar-XB",
                fields: [("Accept-Language", Self.tags[random.below(3)])])
        }
        let page = pages[random.below(pages.count)]
        var asking = Asking(page: page, target: page, language: "en")
        if random.chance(20) { asking.method = "HEAD" }
        if random.chance(60) {
            let (value, language) = [
                ("en-XA", "en-XA"), ("ar-XB,en-XA;q=0.9", "ar-XB"), ("fr", "en"),
                ("ar-XB;q=0.1, en-XA;q=0.2", "en-XA"), ("en-US, en-XA;q=0.9", "en"),
                ("ar-xb-x-\(random.below(1000))", "ar-XB"), ("de;q=2, ar-XB", "en"),
            ][random.below(7)]
            asking.fields.append(("Accept-Language", value))
            asking.language = language
        }
        var cookies: [String] = []
        if random.chance(30) {
            let tag = Self.tags[random.below(3)]
            cookies.append("__Host-language=\(tag)")
            asking.language = tag
        } else if random.chance(20) {
            cookies.append("__Host-language=de")
        }
        // Someone whose account is in English with accents.
        if random.chance(15) {
            cookies.insert("__Host-session=\(session)", at: random.below(cookies.count + 1))
            asking.language = "en-XA"
        }
        if !cookies.isEmpty { asking.fields.append(("Cookie", cookies.joined(separator: "; "))) }
        if random.chance(25) {
            let (query, language) = [
                ("lang=en-XA", "en-XA"), ("lang=AR-xb", "ar-XB"), ("l%61ng=%61r%2DXB&", "ar-XB"),
                ("lang=en&x=1", "en"), ("lang=de", nil), ("lang=en-XA&lang=ar-XB", nil),
                ("Lang=ar-XB", nil),
            ][random.below(7)]
            asking.target += (asking.target.contains("?") ? "&" : "?") + query
            if let language { asking.language = language }
        }
        if random.chance(30), let tag = tags.any(of: page, &random) {
            asking.fields.append(("If-None-Match", tag))
        }
        if random.chance(40) { asking.fields.append(("Accept-Encoding", "gzip")) }
        return asking
    }

    /// What is wrong with a response, if anything.
    private static func fault(
        _ response: RawResponse, to asking: Asking, _ tags: Tags
    ) throws -> String? {
        guard let language = asking.language else {
            let isRight = response["content-language"].map { $0 == "en" } ?? true
            return isRight ? nil : "no page, but in \(response["content-language"] ?? "")"
        }
        let tag = response["etag"]
        if response.status == 304 {
            return tag.flatMap { tags.language(of: $0) } == language
                ? nil : "304 of another language"
        }
        guard response["content-language"] == language else {
            return "in \(response["content-language"] ?? "none")"
        }
        if let tag, !tags.note(tag, language, of: asking.page) {
            return "\(tag) is another language's"
        }
        guard asking.method == "GET" else { return nil }
        let bytes =
            response["content-encoding"] == "gzip"
            ? try Gunzip.decompress(response.bytes) : response.bytes
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("<html lang=\"\(language)\"") ? nil : "the text is in another language"
    }

    private func run(_ count: Int) async throws {
        let settings = ["LOOPS": "2"]
        try await TestServer.runInLanguages(.seeded, settings: settings) { server in
            let rob = try await server.makeUser("rob")
            let ada = try server.browser("ada")
            try server.execute("UPDATE users SET language = 'en-XA' WHERE username = 'ada'")
            let session = try #require(ada.cookies[Browser.sessionCookie])
            let tags = Tags()
            let faults = Recorder<String>()
            let languages = Recorder<String>()
            let hits = Recorder<String>()
            let threads = 4
            try await onThreads(threads + 1) { thread in
                var random = Random(seed: thread)
                // One makes what is cached outdated.
                guard thread < threads else {
                    for number in 0..<count / 40 {
                        let saved = try server.send(
                            "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                            json: """
                                {"entries": [{"gameId": 71, "platformId": 6, "comment": "\(number)"}]}
                                """)
                        if saved.status != 200 { faults.record("\(saved.status) \(saved.text)") }
                    }
                    return
                }
                let connection = try RawConnection(port: server.port)
                var left = count / threads
                while left > 0 {
                    // Pipelined.
                    let askings = (0..<1 + random.below(8)).map { _ in
                        Self.asking(&random, tags, session: session)
                    }
                    left -= askings.count
                    try connection.send(askings.map(\.text).joined())
                    for asking in askings {
                        let response = try connection.readResponse(isHEAD: asking.method == "HEAD")
                        if let fault = try Self.fault(response, to: asking, tags) {
                            faults.record("\(response.status) \(fault): \(asking.text)")
                        }
                        if let language = asking.language { languages.record(language) }
                        if response["cache-status"]?.contains("; hit") == true {
                            hits.record(response.status == 304 ? "304" : asking.method)
                        }
                    }
                }
            }
            #expect(faults.count == 0)
            for fault in faults.elements.prefix(5) { Issue.record("\(fault)") }
            // The load was as mixed as it must be.
            for tag in Self.tags { #expect(languages.elements.count { $0 == tag } > count / 10) }
            for what in ["304", "GET", "HEAD"] {
                #expect(hits.elements.contains(what), "no cached \(what)")
            }
        }
    }

    @Test("are each in the language that was asked for")
    func few() async throws { try await run(4000) }

    @Test("are each in the language that was asked for, a hundred thousand times", .thorough)
    func many() async throws { try await run(100_000) }
}
