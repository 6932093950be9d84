/// One field of a form as it is shown again: with what was typed, and what is wrong with it.
struct FieldModel: Sendable {
    var value: String?
    var error: String?

    init(_ value: String? = nil, error: String? = nil) {
        // An empty text counts as a section in templates.
        self.value = value.flatMap { $0.isEmpty ? nil : $0 }
        self.error = error
    }
}
