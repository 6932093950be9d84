/// A tab of a `WebDriver`.
public struct Tab: Sendable, Hashable {
    let handle: String
}

extension WebDriver {
    /// The tab that commands go to.
    public var tab: Tab { get throws { Tab(handle: try text("/window")) } }

    /// Opens a tab with the same cookies, and goes there. It has neither the size nor the preferences
    /// that another one was given.
    @discardableResult
    public func openTab(_ url: String) throws -> Tab {
        let response = try send("/window/new", ["type": "tab"])
        guard let handle = (response as? [String: Any])?["handle"] as? String else {
            throw TestFailure("no tab: \(response)")
        }
        let tab = Tab(handle: handle)
        try go(to: tab)
        try open(url)
        return tab
    }

    public func go(to tab: Tab) throws { try send("/window", ["handle": tab.handle]) }

    /// Closes the tab that commands go to; go to another one then.
    public func closeTab() throws { try send("/window", method: "DELETE") }

    // MARK: Dialogs

    /// What the dialog says that the page has opened.
    public var dialogText: String { get throws { try text("/alert/text") } }

    public func acceptDialog() throws { try send("/alert/accept", [:]) }

    public func dismissDialog() throws { try send("/alert/dismiss", [:]) }
}
