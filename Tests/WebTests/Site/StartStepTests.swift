import Endpoints
import Testing

@testable import Web

@Suite("The step that waits for the database")
struct StartStepTests {
    @Test("refuses what needs the database, until it is there")
    func waiting() async throws {
        try await Services.on(nil) { services, pool in
            let readiness = ReadyState()
            let start = StartStep(health: Health(on: pool.loop, readiness, schema: 1))
            let page = try IncomingRequest(services, target: "/entries")
            let constant = try IncomingRequest(services, target: "/about")
            let personal = try IncomingRequest(
                services, target: "/about", fields: [.cookie: "session=x"])
            readiness.wait(for: "the database")
            for context in [page, personal] {
                #expect(throws: Problem.self) { try start.check(context) }
            }
            try start.check(constant)
            readiness.begin()
            for context in [page, personal, constant] { try start.check(context) }
        }
    }
}
