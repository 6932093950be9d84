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

    var line: String {
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
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(self), as: UTF8.self))
        } else {
            print(map(\.line).joined(separator: "\n"))
        }
        if contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }
}
