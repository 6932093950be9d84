import Languages

/// The fields of a form that a page shows.
package struct FormFields: Sendable {
    private let fields: [String: FormField]
    /// The message for the whole form; `nil` if its fields say what is wrong, or nothing is.
    package let problem: Words?
    package let isRejected: Bool

    package init(
        _ fields: [String: FormField] = [:], problem: Words? = nil, isRejected: Bool = false
    ) {
        self.fields = fields
        self.problem = problem
        self.isRejected = isRejected
    }

    package subscript(name: String) -> FormField { fields[name] ?? FormField() }
}
