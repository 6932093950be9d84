import Languages

/// A field of a form that couldn't be sent, with what was typed.
package struct UnsentField: Sendable {
    let id: String
    let name: String
    let value: String
    /// `nil` for a field that people need not see.
    package let label: Words?

    package init(id: String, name: String, value: String, label: Words?) {
        self.id = id
        self.name = name
        self.value = value
        self.label = label
    }

    var rowCount: Int { value.count > 60 || value.contains { $0.isNewline } ? 5 : 1 }
}
