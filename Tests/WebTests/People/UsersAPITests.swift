import Foundation
import TestSupport
import Testing

@Suite("The API's users", .blocking)
struct UsersAPITests {
    private let world: World

    init() async throws { world = try await World.shared }

    @Test("have a username, a name, and times as RFC 3339 writes them")
    func one() throws {
        let user = try world.get("/api/v1/users/ada").object
        #expect(user.string("username") == "ada")
        #expect(user.string("displayName") == World.evilName)
        #expect(UUID(uuidString: user.string("id") ?? "") != nil)
        let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/
        #expect(user.string("createdAt")?.wholeMatch(of: form) != nil)
        #expect(user.string("listUpdatedAt")?.wholeMatch(of: form) != nil)
        let newbie = try world.get("/api/v1/users/newbie").object
        #expect(newbie.keys.contains("listUpdatedAt"))
        #expect(newbie.string("listUpdatedAt") == nil)
    }

    @Test(
        "are found in whatever case, as people write names", arguments: ["ROB", "@rob", "rob%20"])
    func typed(name: String) throws {
        #expect(try world.get("/api/v1/users/\(name)").object.string("username") == "rob")
    }

    @Test("are 404 where there is none", arguments: ["nobody", "a", "r%C3%B6b", "@@rob", "ro%20b"])
    func unknown(name: String) throws {
        try expectProblem(world.get("/api/v1/users/\(name)"), 404)
        try expectProblem(world.get("/api/v1/users/\(name)/list"), 404)
    }

    @Test("are found by part of a name, the exact one first")
    func search() throws {
        func names(_ query: String) throws -> [String?] {
            try world.get("/api/v1/users?" + query).object.objects("users")
                .map { $0.string("username") }
        }
        #expect(try names("search=rob") == ["rob"])
        #expect(try names("search=ro") == ["rob"], "a beginning")
        #expect(try names("search=filler-1").first == "filler-1")
        #expect(try names("search=filler&limit=7").count == 7)
        #expect(try names("search=Filler+60") == ["filler-60"])
        #expect(try names("search=nobody-here") == [])
    }

    @Test("want a search, and a limit within bounds")
    func errors() throws {
        try expectProblem(world.get("/api/v1/users"), 400, "\"search\"")
        try expectProblem(world.get("/api/v1/users?search=rob&limit=0"), 400, "from 1 to 100")
        try expectProblem(world.get("/api/v1/users?search=rob&limit=101"), 400, "from 1 to 100")
    }

    @Test("have a list, in order, with what each entry is")
    func list() throws {
        let list = try world.get("/api/v1/users/rob/list").object
        #expect(list.object("user").string("username") == "rob")
        #expect(list.object("user").keys.sorted() == ["displayName", "id", "username"])
        let entries = list.objects("entries")
        #expect(entries.map { $0.int("position") } == [1, 2, 3])
        #expect(entries.map { $0.object("game").int("id") } == [71, 120, 117])
        #expect(entries.map { $0.object("platform").int("id") } == [6, 48, 48])
        #expect(
            entries.map { $0.string("comment") } == [
                "The cake is a lie.", "", "Trico.\n\nGood boy.",
            ])
        let ada = try world.get("/api/v1/users/ada/list").object
        #expect(ada.objects("entries").first?.string("comment") == World.evilComment)
        #expect(try world.get("/api/v1/users/newbie/list").object.objects("entries").isEmpty)
    }

    @Test("have a list that a client need not read twice")
    func caching() throws {
        let first = try world.get("/api/v1/users/rob/list")
        let tag = try #require(first["etag"])
        #expect(tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
        let again = try world.get("/api/v1/users/rob/list", [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again["etag"] == tag)
        #expect(try world.get("/api/v1/users/rob/list", [("If-None-Match", "\"x\"")]).status == 200)
        #expect(
            try world.get("/api/v1/users/rob/list", [("If-None-Match", "\"x\", W/\(tag)")]).status
                == 304)
        try expectProblem(world.get("/api/v1/users/rob/list", [("If-Match", "\"x\"")]), 412)
    }
}
