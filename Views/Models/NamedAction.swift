/// A button of a form.
package struct NamedAction: Sendable {
    let name: String
    let action: String

    package init(name: String, action: String) {
        self.name = name
        self.action = action
    }
}
