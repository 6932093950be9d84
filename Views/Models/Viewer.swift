/// The signed-in user, as every page shows them.
package struct Viewer: Sendable {
    let person: Person
    /// The token for the form that signs out.
    let token: String

    package init(_ person: Person, token: String) {
        self.person = person
        self.token = token
    }
}
