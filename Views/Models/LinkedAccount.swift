/// An account elsewhere that opens this one.
package struct LinkedAccount: Sendable {
    let name: String
    let detail: String
    /// Where the form that disconnects it goes; `nil` while nothing else opens the account.
    let disconnect: String?

    package init(name: String, detail: String, disconnect: String?) {
        self.name = name
        self.detail = detail
        self.disconnect = disconnect
    }
}
