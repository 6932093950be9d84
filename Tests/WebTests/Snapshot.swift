import Foundation
import Testing
import Views

/// Pages as they are meant to look, in the folder `Snapshots`.
///
/// `RECORD_SNAPSHOTS=1 swift test --filter Snapshot` writes them anew: look at the difference before
/// committing it.
enum Snapshot {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snapshots")

    static func expect(
        _ html: HTML, is name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(html.bytes, is: name, at: location)
    }

    static func expect(
        _ html: String, is name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(Array(html.utf8), is: name, at: location)
    }

    static func expect(
        _ html: [UInt8], is name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appendingPathComponent(name + ".html")
        guard ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == nil else {
            return try Data(html).write(to: file)
        }
        guard let data = try? Data(contentsOf: file) else {
            Issue.record("There is no snapshot \(name): record it.", sourceLocation: location)
            return
        }
        guard data != Data(html) else { return }
        Issue.record(
            "\(name): \(difference(String(decoding: html, as: UTF8.self), from: String(decoding: data, as: UTF8.self)))",
            sourceLocation: location)
    }

    /// The first line that differs.
    private static func difference(
        _ actual: String, from expected: String
    ) -> String {
        let actual = actual.components(separatedBy: "\n")
        let expected = expected.components(separatedBy: "\n")
        for (index, line) in actual.enumerated() {
            let other = index < expected.count ? expected[index] : "(nothing)"
            if Array(line.utf8) != Array(other.utf8) {
                return "line \(index + 1) is\n\(line)\ninstead of\n\(other)"
            }
        }
        return "\(expected.count - actual.count) lines are missing at the end"
    }
}
