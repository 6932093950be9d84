import Endpoints
import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("What the API says to programs of what is wrong", .blocking)
struct WrongRequestsTests {
    private static func summary(_ response: RawResponse) throws -> String {
        let problem = try response.bytes.isEmpty ? [:] : response.object
        let errors = problem.objects("errors").map {
            "\($0.string("pointer") ?? "?") \($0.string("kind") ?? "no kind")"
        }
        let about = problem.string("parameter") ?? errors.joined(separator: ", ")
        return "\(response.status) \(problem.string("kind") ?? "no kind")"
            + (about.isEmpty ? "" : ": \(about)")
    }

    @Test("is one kind for each thing that a program would do, with all that is wrong")
    func table() async throws {
        let site = try await ContractSite.shared
        let person = try await site.listed()
        let account = try site.account().person
        let reader = try account.send(
            "POST", "/me/tokens",
            #"{"name": "x", "scopes": ["read"], "password": "\#(ContractSite.password)"}"#)
        for wrong in WrongRequest.all {
            let token: String? =
                switch wrong.sender {
                case .nobody: nil
                case .someone: person.token
                case .account: account.token
                case .stranger: "x.y.z"
                case .reader: reader.string("token")
                }
            let server = wrong.isElsewhere ? site.other : site.server
            let response = try server.send(
                wrong.method, "/api/v1" + wrong.path.replacing("{oneself}", with: person.name),
                token: token, fields: wrong.fields,
                json: wrong.json, type: wrong.type)
            let summary = try Self.summary(response)
            #expect(summary == wrong.says, "\(wrong.method) \(wrong.path) \(wrong.json ?? "")")
            #expect(
                (response["www-authenticate"] != nil) == summary.contains(/^401|insufficient-scope/)
            )
            let challenge = response["www-authenticate"] ?? ""
            #expect(summary.contains("invalid-token") == challenge.contains("invalid_token"))
        }
        let list = try person.send("GET", "/me/list").objects("entries")
        #expect(list.count == 2)
    }

    @Test("has every kind of error in a body somewhere, and no other")
    func kindsOfErrors() {
        let errors = WrongRequest.all.map(\.says).filter { $0.contains("invalid-members") }
        let met = errors.flatMap { $0.matches(of: /\/?\S* ([a-z-]+)(, |$)/).map { String($0.1) } }
        // Only a circle with a webhook or members can be handed over wrongly.
        #expect(Set(met).union(["not-a-member"]) == Set(FaultKind.all.map(\.name)))
        #expect(Set(FaultKind.all.map(\.name)).count == FaultKind.all.count)
        for kind in FaultKind.all {
            #expect(kind.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
            #expect(kind.summary.hasSuffix("."))
        }
    }

    @Test("explains each kind of error on a page, and lists them in the document")
    func explanations() async throws {
        let page = try await World.shared.get("/api/problems/invalid-members").text
        let schemas = try OpenAPIDocument.load().root["components"]?["schemas"]
        let kinds = schemas?["MemberError"]?["properties"]?["kind"]
        for kind in FaultKind.all {
            #expect(page.contains("<code>\(kind.name)</code>"))
            #expect("\(kinds ?? .null)".contains("\"\(kind.name)\""))
        }
    }

    @Test("says which limits there are before someone runs into one")
    func limits() async throws {
        let limits = try await World.shared.get("/api/v1").object.object("limits")
        #expect(limits.int("commentLength") == 1000)
        #expect(limits.int("minimumPasswordLength") == 8)
        #expect(limits.int("membersPerCircle") == 100)
        #expect(limits.int("bodyBytes") == 65_536)
    }

    @Test(
        "is nothing about a token where none is read, or where a proxy wants other credentials",
        arguments: [
            ("/api/v1/users/rob", "Basic cm9iOng="), ("/api/v0/games/71", "Bearer x.y.z"),
        ])
    func otherCredentials(path: String, field: String) async throws {
        let response = try await World.shared.get(path, [("Authorization", field)])
        #expect(response.status == 200)
        #expect(response["cache-control"] == "private, no-store")
        #expect(response["vary"]?.contains("Authorization") == true)
    }
}
