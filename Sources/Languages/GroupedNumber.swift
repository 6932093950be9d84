/// A number whose digits are in groups of three, if the language groups so few of them.
package struct GroupedNumber: Localized, Hashable, Sendable {
    fileprivate let value: Int

    package func string(in language: Language) -> String {
        let digits = String(value)
        // Most counts are small.
        guard value > 999 else { return digits }
        let rules = language.rules
        let count = digits.utf8.count
        guard count >= 3 + rules.minimumGrouping else { return digits }
        var grouped = ""
        for (index, digit) in digits.unicodeScalars.enumerated() {
            if index > 0, (count - index) % 3 == 0 { grouped += rules.group }
            grouped.unicodeScalars.append(digit)
        }
        return grouped
    }
}

extension Int {
    package var grouped: GroupedNumber { GroupedNumber(value: self) }
}
