/// An account at a provider that lets the user sign in here.
package struct LinkedAccount: Sendable {
    let name: String
    let detail: String
    /// The address of the form that disconnects it; `nil` while there is no other way to sign in.
    let disconnect: String?

    package init(name: String, detail: String, disconnect: String?) {
        self.name = name
        self.detail = detail
        self.disconnect = disconnect
    }
}
