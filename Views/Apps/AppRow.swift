import FaveGames

/// An app, as the person sees it who has registered it.
package struct AppRow: Sendable {
    let app: ClientApp
    /// The client identifier.
    let id: String
    /// Removes it.
    let action: String

    package init(_ app: ClientApp, id: String, action: String) {
        self.app = app
        self.id = id
        self.action = action
    }
}
