import ArgumentParser
import Foundation

/// Something that a checkup has looked at.
struct Finding: Encodable {
    enum Verdict: String, Encodable {
        case good, notice, bad
    }

    let what: String
    let verdict: Verdict
    let detail: String
    /// The detail as anyone may read it; `nil` if it may name people, machines, databases or files.
    let shareable: String?

    init(what: String, verdict: Verdict, detail: String, shareable: String? = nil) {
        self.what = what
        self.verdict = verdict
        self.detail = detail
        self.shareable = shareable
    }

    /// With a detail that anyone may read.
    init(what: String, verdict: Verdict, shareable detail: String) {
        self.init(what: what, verdict: verdict, detail: detail, shareable: detail)
    }

    private enum CodingKeys: CodingKey {
        case what, verdict, detail
    }

    var line: String { line(detail) }

    /// The line in a report that anyone may read.
    var shareableLine: String { line(shareable ?? "(not shown here)") }

    private func line(_ detail: String) -> String {
        let mark =
            switch verdict {
            case .good: "ok  "
            case .notice: "note"
            case .bad: "BAD "
            }
        return "\(mark)  \(what): \(detail)"
    }
}

extension [Finding] {
    /// Prints the findings.
    ///
    /// - Throws: `ExitCode.failure` if one of them is bad.
    func report(asJSON: Bool) throws {
        if asJSON {
            print(try jsonText)
        } else {
            print(map(\.line).joined(separator: "\n"))
        }
        try failIfBad()
    }

    /// - Throws: `ExitCode.failure` if one of them is bad.
    func failIfBad() throws {
        if contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }
}
