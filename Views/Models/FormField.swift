/// A field of a form that is shown again, with what was typed and what is wrong with it.
package struct FormField: Sendable {
    package var value: String
    package var error: String?

    package init(_ value: String? = nil, error: String? = nil) {
        self.value = value ?? ""
        self.error = error
    }
}
