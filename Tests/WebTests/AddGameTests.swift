import Foundation
import TestSupport
import Testing

@Suite("A game's page", .timeLimit(.minutes(2)))
struct AddGameTests {
    @Test("puts the game on the list of whoever is signed in, on one of its platforms")
    func add() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            #expect(try rob.get("/games/71").text.contains("Sign in to add it to your list"))
            try rob.signUp("rob")
            let page = try rob.get("/games/71")
            #expect(page.text.contains(#"action="/games/71/add#add""#))
            #expect(page.text.contains(#"<option value="6""#))
            #expect(!page.text.contains(#"<option value="130""#) || page.text.contains("Switch"))
            let answer = try rob.post("/games/71/add", ["platform": "6", "comment": "The cake."])
            #expect(answer.status == 303)
            #expect(answer["location"] == "/@rob#1")
            #expect(try rob.get("/@rob").text.contains("The cake."))
        }
    }

    @Test("shows the form again, with what was typed, if the list cannot take it")
    func refused() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            try rob.post("/games/71/add", ["platform": "6"])
            for (platform, status, text) in [
                ("6", 409, "already on the list"), ("", 422, "Choose the platform"),
                ("2147483647", 422, "is unknown here"), ("33", 422, "is not on platform"),
            ] {
                let again = try rob.post(
                    "/games/71/add", ["platform": platform, "comment": "Typed <b>long</b>"])
                #expect(again.status == status, "\(platform)")
                #expect(again.text.contains(text), "\(platform)")
                #expect(again.text.contains("Typed &lt;b&gt;long&lt;/b&gt;"))
                #expect(again["cache-control"] == "no-store")
            }
            let tooLong = try rob.post(
                "/games/71/add",
                ["platform": "6", "comment": String(repeating: "x", count: 1001)])
            #expect(tooLong.status == 422)
            #expect(try rob.post("/games/2000000001/add", ["platform": "6"]).status == 404)
            let nobody = try Browser(server).post("/games/71/add", ["platform": "6"])
            #expect(nobody["location"] == "/sign-in?return=%2Fgames%2F71")
        }
    }
}
