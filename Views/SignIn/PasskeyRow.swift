/// A passkey, as its user sees it.
package struct PasskeyRow: Sendable {
    let name: String
    /// When it was added and last used.
    let detail: String
    /// Removes it.
    let action: String

    package init(name: String, detail: String, action: String) {
        self.name = name
        self.detail = detail
        self.action = action
    }
}
