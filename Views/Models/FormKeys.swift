/// The hidden fields that every form of a page has besides its own fields.
package struct FormKeys: Sendable {
    /// Proves that the form comes from a page in this browser.
    let token: String
    /// Where to go afterwards, if that is not the form's own choice.
    let returnPath: String?

    /// Whether someone signs in because of an invitation to a circle.
    var isForCircle: Bool { returnPath?.hasPrefix(Path.circleInvitation + "?") == true }

    package init(token: String, returnPath: String? = nil) {
        self.token = token
        self.returnPath = returnPath
    }
}
