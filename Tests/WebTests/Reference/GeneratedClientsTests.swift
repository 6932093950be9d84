import Foundation
import TestSupport
import Testing

@Suite("Clients that are generated from the OpenAPI document", .blocking, .thorough)
struct GeneratedClientsTests {
    @Test("compile under strict checks, and do what people do")
    func python() async throws {
        try await TestServer.run(settings: ["NEW_LIST_DELAY_HOURS": "0"]) { server in
            let report = try PythonTools.run { folder in
                let document = folder + "/openapi.json"
                try OpenAPIDocument.text.write(toFile: document, atomically: true, encoding: .utf8)
                return [
                    TestDatabase.repository + "/Tests/Python/generated_clients.py", document,
                    folder,
                    "http://127.0.0.1:\(server.port)",
                ]
            }
            #expect(report.isClean, "\(report.text)")
            #expect(report.text.hasSuffix("refreshed"), "\(report.text)")
        }
    }
}
