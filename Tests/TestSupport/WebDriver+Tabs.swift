/// A tab of a `WebDriver`.
public struct Tab: Sendable, Hashable {
    let handle: String
}

extension WebDriver {
    /// The tab that commands go to.
    public var tab: Tab { get throws { Tab(handle: try text(.tab)) } }

    /// Opens a tab with the same cookies, and goes there. It has neither the size nor the preferences
    /// that another one was given.
    @discardableResult
    public func openTab(_ url: String) throws -> Tab {
        let response = try send(.openTab, ["type": "tab"])
        guard let handle = (response as? [String: Any])?["handle"] as? String else {
            throw TestFailure("no tab: \(response)")
        }
        let tab = Tab(handle: handle)
        try go(to: tab)
        try open(url)
        return tab
    }

    public func go(to tab: Tab) throws { try send(.goToTab, ["handle": tab.handle]) }

    /// Closes the tab that commands go to; go to another one then.
    public func closeTab() throws { try send(.closeTab) }

    // MARK: Dialogs

    /// What the dialog says that the page has opened.
    public var dialogText: String { get throws { try text(.dialogText) } }

    public func acceptDialog() throws { try send(.acceptDialog) }

    public func dismissDialog() throws { try send(.dismissDialog) }
}
