import Foundation
import TestSupport
import Testing

@Suite("A body", .blocking)
struct BodiesTests {
    private let world: World

    init() async throws { world = try await World.shared }

    /// Sends bytes to an address that takes JSON. Newbie's list is not read by any other test.
    private func put(_ body: [UInt8], type: String? = "application/json") async throws
        -> RawResponse
    {
        let token = try await Self.newcomer(world)
        let connection = try RawConnection(port: world.server.port)
        var head = "PUT /api/v1/me/list HTTP/1.1\r\nHost: x\r\nIf-Match: *\r\nConnection: close\r\n"
        head += "Authorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        try connection.send(Array((head + "\r\n").utf8) + body)
        return try connection.readResponse()
    }

    private func put(_ text: String, type: String? = "application/json") async throws -> RawResponse
    {
        try await put(Array(text.utf8), type: type)
    }

    private static func newcomer(_ world: World) async throws -> String {
        try await world.server.makeUser(
            "n-" + UUID().text.prefix(20))
    }

    @Test(
        "must be JSON, and say so",
        arguments: [
            nil, "text/plain", "text/json", "application/x-www-form-urlencoded",
            "application/problem+json", "application/jsonp", "json", "",
            "application/json, text/plain",
        ])
    func types(type: String?) async throws {
        try expectProblem(await put(#"{"entries": []}"#, type: type), 415, "application/json")
    }

    @Test(
        "may say so in other words",
        arguments: ["application/json", "Application/JSON", "application/json; charset=utf-8"])
    func typesWithParameters(type: String) async throws {
        #expect(try await put(#"{"entries": []}"#, type: type).status == 200)
    }

    @Test(
        "that is no JSON is refused",
        arguments: [
            "", " ", "{", "}", "{]", "{\"entries\": [}", "{'entries': []}", "{\"entries\": []",
            "{\"entries\": []}}", "{entries: []}", "nul", "tru", "\"", "[1,]", "{\"a\": 01}",
            "{\"entries\": []} x", "{\"a\": +1}", "{\"a\": NaN}", "// c\n{}", "\u{0}",
            "{\"entries\": \"\\ud800\"}", "{\"a\": \"\n\"}",
        ])
    func malformed(text: String) async throws {
        try expectProblem(await put(text), 400, "not valid JSON")
    }

    @Test(
        "that is JSON and no object is refused",
        arguments: ["null", "1", "\"text\"", "[]", "true", "[{\"entries\": []}]"])
    func noObject(text: String) async throws {
        let problem = try expectProblem(await put(text), 422)
        #expect(memberErrors(problem).first?.hasPrefix(" This must be an object, not") == true)
    }

    @Test("that is not UTF-8 is refused")
    func encoding() async throws {
        let start = Array(#"{"entries": [], "a": ""#.utf8)
        let end = Array("\"}".utf8)
        for bytes in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF8, 0x88]] as [[UInt8]] {
            try expectProblem(
                await put(start + bytes + end), 400, "at byte 22, the text is not UTF-8")
        }
        try expectProblem(
            await put(
                Array(#"{"entries": []}"#.utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            ), 400)
    }

    @Test("of endless brackets is refused", arguments: ["[", "{\"a\":", "{\"entries\":["])
    func depth(open: String) async throws {
        try expectProblem(await put(String(repeating: open, count: 5_000)), 400)
        let balanced = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        try expectProblem(await put(balanced), 400)
        try expectProblem(await put(#"{"entries": \#(balanced)}"#), 400)
    }

    @Test(
        "with numbers that nobody can hold is refused",
        arguments: [
            "99999999999999999999", "1e400", "-1e400", "1e99999999", "0.1e-99999",
            String(repeating: "9", count: 20_000), "9223372036854775808", "-9223372036854775809",
        ])
    func numbers(number: String) async throws {
        let response = try await put(#"{"entries": [{"gameId": \#(number), "platformId": 48}]}"#)
        #expect([400, 422].contains(response.status), "\(response.status)")
        try expectProblem(response, response.status)
    }

    @Test("with a member twice is refused")
    func duplicates() async throws {
        try expectProblem(
            await put(#"{"entries": [{"gameId": 71, "gameId": 120, "platformId": 6}]}"#), 400,
            "duplicate member name")
        try expectProblem(
            await put(#"{"entries": [], "entries": []}"#), 400, "duplicate member name")
    }

    @Test("longer than the bound is refused before it is read")
    func tooLong() async throws {
        let padding = String(repeating: " ", count: 65_536 - 15)
        #expect(try await put(#"{"entries": []}"# + padding).status == 200)
        try expectProblem(await put(#"{"entries": []}"# + padding + " "), 413, "too large")
        let connection = try RawConnection(port: world.server.port)
        try connection.send(
            """
            PUT /api/v1/me/list HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
            Content-Length: 1000000000000\r\n\r\n
            """)
        try expectProblem(connection.readResponse(), 413)
    }

    @Test("that comes in chunks is as good, and as bounded")
    func chunked() async throws {
        let token = try await Self.newcomer(world)
        let head = """
            PUT /api/v1/me/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\
            If-Match: *\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n
            """
        let connection = try RawConnection(port: world.server.port)
        try connection.send(head + "5\r\n{\"ent\r\nA\r\nries\": []}\r\n0\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        let other = try RawConnection(port: world.server.port)
        try other.send(head + "20000\r\n")
        try expectProblem(other.readResponse(), 413)
    }
}
