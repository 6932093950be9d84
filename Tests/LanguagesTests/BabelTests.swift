import Foundation
import HTTP
import TestSupport
import Testing

@testable import Languages
@testable import view_compiler

@Suite("CLDR's data in Babel", .blocking, .thorough)
struct BabelTests {
    /// What `cldr.py` compares.
    private struct Values: Encodable {
        let numbers: [String: String]
        let days: [String: [String]]
        let lists: [String]
        let comma: String
        let plurals: [String: Int]?

        var count: Int {
            numbers.count + days.count * 3 + lists.count + 1 + (plurals?.count ?? 0)
        }
    }

    // "many", which Spanish, French and Portuguese have for whole millions, is in no catalogue.
    private static let counts =
        Array(0...1000) + [1001, 1234, 9999, 10_000, 12_345, 999_999, 1_234_567, 987_654_321]
    /// The days of 2024 and 2025.
    private static let days = (0..<731).map {
        Date(timeIntervalSince1970: 1_704_067_200 + 86_400 * TimeInterval($0))
    }

    private static func values(in language: Language) throws -> Values {
        let later = Date(timeIntervalSince1970: 1_893_456_000)
        let days = Self.days.enumerated().map { index, day in
            // Another day of the same year.
            let now = Self.days[[365, 730].contains(index) ? index - 1 : index + 1]
            return (
                String(day.rfc3339.prefix(10)),
                [
                    day.dayInWords, day.shortDay(seenAt: later), day.shortDay(seenAt: now),
                ].map { $0.string(in: language) }
            )
        }
        let names = ["A", "B", "C", "D", "E"]
        let formula = try plural(of: language)
        return Values(
            numbers: byCount { $0.grouped.string(in: language) },
            days: Dictionary(uniqueKeysWithValues: days),
            lists: (1...5).map { Array(names.prefix($0)).joined(in: language) },
            comma: language.separator(isLast: false),
            plurals: formula.map { formula in byCount { formula.form(for: $0) } })
    }

    private static func byCount<Value>(_ value: (Int) -> Value) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: counts.map { (String($0), value($0)) })
    }

    /// The formula of the language's catalogue, if there is one.
    private static func plural(of language: Language) throws -> PluralFormula? {
        let file = "Languages/\(language.tag).po"
        let path = "\(TestDatabase.repository)/Views/\(file)"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try Catalogue(text, file: file, context: "home").plural
    }

    /// `cldr.py` names the two exceptions.
    @Test("says the same as our rules of numbers, days, lists and plurals")
    func comparison() throws {
        let languages = Language.allCases.filter { ![.accented, .mirrored].contains($0) }
        let values = try Dictionary(
            uniqueKeysWithValues: languages.map { ($0.tag, try Self.values(in: $0)) })
        let report = try PythonTools.run { folder in
            let file = folder + "/values.json"
            try JSONEncoder().encode(values).write(to: URL(filePath: file))
            return [TestDatabase.repository + "/Tests/Python/cldr.py", file]
        }
        let count = values.values.reduce(0) { $0 + $1.count }
        #expect(count > 9 * 3000)
        #expect(report.isClean && report.text == "\(count) values", "\(report.text)")
    }
}
