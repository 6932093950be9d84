import TestSupport
import Testing

@Suite("The API's platforms", .blocking)
struct PlatformsAPITests {
    private let world: World

    init() async throws { world = try await World.shared }

    private func names(_ target: String) throws -> [String] {
        let response = try world.get(target)
        #expect(response.status == 200, "\(response.text)")
        return try response.object.objects("platforms").compactMap { $0.string("name") }
    }

    @Test("are all listed, by name")
    func all() throws {
        let names = try names("/api/v1/platforms")
        #expect(names.count == 220)
        #expect(names == names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    }

    @Test("are found by part of a name, an abbreviation or a slug")
    func search() throws {
        #expect(try names("/api/v1/platforms?search=playstation%204") == ["PlayStation 4"])
        #expect(try names("/api/v1/platforms?search=PS4").contains("PlayStation 4"))
        #expect(try names("/api/v1/platforms?search=ps4--1") == ["PlayStation 4"])
        #expect(try names("/api/v1/platforms?search=no+such+thing") == [])
        #expect(try names("/api/v1/platforms?search=%25") == [], "no wildcard")
        #expect(try names("/api/v1/platforms?search=+").count == 220, "no search")
    }

    @Test("are found by their ids; unknown ones are left out")
    func ids() throws {
        #expect(
            try names("/api/v1/platforms?ids=48,6") == ["PC (Microsoft Windows)", "PlayStation 4"])
        #expect(try names("/api/v1/platforms?ids=48,999999,48") == ["PlayStation 4"])
    }

    @Test(
        "are not found by what are no ids",
        arguments: ["", ",", "48,", "a", "-1", "48;6", "0", "1.5", "99999999999", "48,%2048"])
    func badIDs(ids: String) throws {
        try expectProblem(world.get("/api/v1/platforms?ids=\(ids)"), 400, "\"ids\" must be")
    }

    @Test("are not found by more than a hundred ids, or a text of more than a hundred characters")
    func bounds() throws {
        let ids = (1...101).map(String.init).joined(separator: ",")
        try expectProblem(world.get("/api/v1/platforms?ids=\(ids)"), 400, "1 to 100 numbers")
        let text = String(repeating: "x", count: 101)
        try expectProblem(world.get("/api/v1/platforms?search=\(text)"), 400, "1 to 100 characters")
        #expect(try world.get("/api/v1/platforms?search=\(text.dropLast())").status == 200)
    }

    @Test("stand at their id and at their slug")
    func one() throws {
        for name in ["48", "ps4--1", "ps4%2D%2D1"] {
            let platform = try world.get("/api/v1/platforms/\(name)").object
            #expect(platform.int("id") == 48)
            #expect(platform.string("slug") == "ps4--1")
            #expect(platform.string("name") == "PlayStation 4")
            #expect(platform.string("shortName") == "PS4")
        }
    }

    @Test(
        "are 404 where there is none",
        arguments: ["999999", "no-such", "PS4", "0", "-1", "048", "%F0%9F%8E%AE", "a%20b"])
    func unknown(name: String) throws {
        try expectProblem(world.get("/api/v1/platforms/\(name)"), 404, "no such platform")
    }
}
