/// Who is signed in, as every page shows it.
package struct Viewer: Sendable {
    let person: Person
    /// For the form that signs out.
    let token: String

    package init(_ person: Person, token: String) {
        self.person = person
        self.token = token
    }
}
