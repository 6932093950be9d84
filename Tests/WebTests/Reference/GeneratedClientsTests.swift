import Foundation
import TestSupport
import Testing

@Suite("Clients that are generated from the OpenAPI document", .blocking, .thorough)
struct GeneratedClientsTests {
    /// Makes a client from the document of a server whose operator has set nothing, and uses it there.
    ///
    /// - Returns: What the client's steps printed.
    private static func make(_ kind: String) async throws -> PythonTools.Report {
        let port = try TestServer.freePort()
        let address = "http://127.0.0.1:\(port)"
        return try await TestServer.run(settings: ["PORT": "\(port)", "PUBLIC_URL": address]) { _ in
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return try PythonTools.run(variables: ["PATH": path]) { folder in
                let program = TestDatabase.repository + "/Tests/Python/generated_clients.py"
                return [program, kind, folder, address]
            }
        }
    }

    private static func has(_ programs: String...) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return programs.allSatisfy { program in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }

    @Test("compile under strict checks, and do what people do, by generators in Python")
    func pythonTools() async throws {
        let report = try await Self.make("python-tools")
        #expect(report.isClean, "\(report.text)")
        #expect(report.text.hasSuffix("refreshed"), "\(report.text)")
    }

    @Test(
        "do what people do in Python and TypeScript", .enabled(if: has("java"), "no Java"),
        arguments: ["python", "typescript"])
    func interpreted(kind: String) async throws {
        let report = try await Self.make(kind)
        #expect(report.isClean, "\(report.text)")
        #expect(report.text.hasSuffix("refreshed"), "\(report.text)")
    }

    @Test("do what people do in Go", .enabled(if: has("java", "go"), "no Java, or no Go"))
    func go() async throws {
        let report = try await Self.make("go")
        #expect(report.isClean, "\(report.text)")
        #expect(report.text.hasSuffix("refreshed"), "\(report.text)")
    }

    @Test("compile in Swift", .enabled(if: has("java", "swiftc"), "no Java"))
    func swift() async throws {
        let report = try await Self.make("swift")
        #expect(report.isClean && report.text.hasSuffix("compiled"), "\(report.text)")
    }

    @Test("can be parsed in Rust", .enabled(if: has("java", "rustfmt"), "no Java, or no rustfmt"))
    func rust() async throws {
        let report = try await Self.make("rust")
        #expect(report.isClean && report.text.hasSuffix("parsed"), "\(report.text)")
    }
}
