package import JSON
import Languages

extension Schema {
    /// Whether one chooses among values.
    package var isChoice: Bool { keywords["enum"] != nil || keywords["type"] == "array" }

    /// What the texts of a form's fields mean.
    ///
    /// - Parameter texts: The fields with the member's name. A checkbox can have two: the first one is
    ///   always sent and says "no", and the second one is sent if it is checked.
    /// - Returns: `nil` if there are none.
    package func value(ofFields texts: [String]) throws(MemberFault) -> JSONValue? {
        var types = [keywords["type"]]
        if case .array(let several) = keywords["type"] { types = several }
        if types.contains("array") {
            return texts.isEmpty ? nil : .array(texts.map { .string($0) })
        }
        if types.contains("boolean"), !texts.isEmpty {
            guard texts == ["no"] || texts == ["yes"] || texts == ["no", "yes"] else {
                throw MemberFault(.unknownValue, detail: .english("This must be yes or no."))
            }
            return .bool(texts.last == "yes")
        }
        guard let text = texts.first else { return nil }
        guard texts.count == 1 else {
            throw MemberFault(.tooMany, detail: .english("This must be there only once."))
        }
        if text.isEmpty, types.contains("null") { return .null }
        guard types.contains("integer") else { return .string(text) }
        guard text.utf8.count <= 18, let number = Int(text) else {
            throw MemberFault(.wrongType, detail: .english("This must be a whole number."))
        }
        return .int(number)
    }
}
