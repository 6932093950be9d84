import Foundation
import Testing

/// Pages as they are meant to look, in the folder `Recorded`: of each what is inside of `<main>`, and
/// once for each kind of visitor what is around it.
///
/// `RECORD_SNAPSHOTS=1 script/test -- --filter Snapshot` writes them anew: look at the difference before
/// committing it.
enum PageSnapshot {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Recorded")

    static func expect(
        _ html: String, is name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appendingPathComponent(name + ".html")
        // Each form's token is another one each time.
        let html = html.replacing(/name="token" value="[A-Za-z0-9_-]{65}"/) { _ in
            #"name="token" value="…""#
        }
        let text = html.hasSuffix("\n") ? html : html + "\n"
        guard ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == nil else {
            return try Data(text.utf8).write(to: file)
        }
        guard let recorded = try? String(contentsOf: file, encoding: .utf8) else {
            Issue.record("There is no snapshot \(name): record it.", sourceLocation: location)
            return
        }
        // To Swift, different bytes can be the same characters.
        guard !recorded.utf8.elementsEqual(text.utf8) else { return }
        Issue.record("\(name): \(difference(text, from: recorded))", sourceLocation: location)
    }

    /// The page's own part, with its element.
    static func main(of html: String) throws -> String {
        let (start, end) = try bounds(html)
        return String(html[start...].prefix(upTo: end) + "</main>")
    }

    /// The rest of the page.
    static func layout(of html: String) throws -> String {
        let (start, end) = try bounds(html)
        return html[..<start] + "<main>" + html[end...]
    }

    /// Where the element begins, and where its closing tag does.
    private static func bounds(_ html: String) throws -> (String.Index, String.Index) {
        let start = try #require(html.range(of: "<main ")?.lowerBound, "\(html)")
        let end = try #require(html.range(of: "</main>")?.lowerBound)
        return (start, end)
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
