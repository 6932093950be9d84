/// A comment that a moderator took from an entry, as its author sees it.
package struct HiddenComment: Sendable {
    let comment: String
    /// The moderator's reason; empty if none was given.
    let reason: String

    package init(comment: String, reason: String) {
        self.comment = comment
        self.reason = reason
    }
}
