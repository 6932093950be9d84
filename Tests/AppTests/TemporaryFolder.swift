import Foundation

/// A folder that is there for the time of a test.
struct TemporaryFolder {
    let path: String

    static func with<Result>(
        _ body: (TemporaryFolder) async throws -> Result
    ) async throws -> Result {
        let folder = try make()
        defer { folder.remove() }
        return try await body(folder)
    }

    private static func make() throws -> TemporaryFolder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return TemporaryFolder(path: url.path)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ contents: Data) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: url)
    }
}
