import Languages

/// A field of a form that is shown again, with what was typed and what is wrong with it.
package struct FormField: Sendable {
    /// Several if some of several boxes are checked.
    package let values: [String]
    package let error: Words?
    /// Whether it is the first one of the page with something wrong.
    let hasFocus: Bool

    package init(_ values: [String], error: Words? = nil, hasFocus: Bool = false) {
        self.values = values
        self.error = error
        self.hasFocus = hasFocus
    }

    package init(_ value: String = "", error: Words? = nil) {
        self.init([value], error: error)
    }

    package var value: String { values.first ?? "" }

    /// Whether this is one of the values that are chosen.
    func has(_ value: String) -> Bool { values.contains(value) }

    /// Whether a checkbox is checked. An unchecked one sends "no", and a checked one "yes" after it.
    var isOn: Bool { has("yes") }
}
