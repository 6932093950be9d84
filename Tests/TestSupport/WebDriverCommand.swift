/// A command of WebDriver (a W3C Recommendation), by its two names: as a request, and in Firefox's
/// Marionette.
struct WebDriverCommand: Sendable {
    let method: String
    /// Below the address of the session; `{id}` is the parameter of that name.
    let path: String
    let name: String

    private init(_ method: String, _ path: String, _ name: String) {
        self.method = method
        self.path = path
        self.name = name
    }

    static let open = Self("POST", "/url", "WebDriver:Navigate")
    static let reload = Self("POST", "/refresh", "WebDriver:Refresh")
    static let goBack = Self("POST", "/back", "WebDriver:Back")
    static let url = Self("GET", "/url", "WebDriver:GetCurrentURL")
    static let title = Self("GET", "/title", "WebDriver:GetTitle")
    static let screenshot = Self("GET", "/screenshot", "WebDriver:TakeScreenshot")
    static let execute = Self("POST", "/execute/sync", "WebDriver:ExecuteScript")

    // MARK: Tabs and dialogs

    static let tab = Self("GET", "/window", "WebDriver:GetWindowHandle")
    static let openTab = Self("POST", "/window/new", "WebDriver:NewWindow")
    static let goToTab = Self("POST", "/window", "WebDriver:SwitchToWindow")
    static let closeTab = Self("DELETE", "/window", "WebDriver:CloseWindow")
    static let resizeWindow = Self("POST", "/window/rect", "WebDriver:SetWindowRect")
    static let dialogText = Self("GET", "/alert/text", "WebDriver:GetAlertText")
    static let acceptDialog = Self("POST", "/alert/accept", "WebDriver:AcceptAlert")
    static let dismissDialog = Self("POST", "/alert/dismiss", "WebDriver:DismissAlert")

    // MARK: Elements

    static let find = Self("POST", "/element", "WebDriver:FindElement")
    static let focused = Self("GET", "/element/active", "WebDriver:GetActiveElement")
    static let text = Self("GET", "/element/{id}/text", "WebDriver:GetElementText")
    static let click = Self("POST", "/element/{id}/click", "WebDriver:ElementClick")
    static let clear = Self("POST", "/element/{id}/clear", "WebDriver:ElementClear")
    static let type = Self("POST", "/element/{id}/value", "WebDriver:ElementSendKeys")

    // MARK: Keys, pointers and authenticators

    static let perform = Self("POST", "/actions", "WebDriver:PerformActions")
    static let releaseActions = Self("DELETE", "/actions", "WebDriver:ReleaseActions")
    static let addAuthenticator = Self(
        "POST", "/webauthn/authenticator", "WebAuthn:AddVirtualAuthenticator")

    // MARK: Sessions and engines

    static let end = Self("DELETE", "", "WebDriver:DeleteSession")
    /// A command of the Chrome DevTools Protocol.
    static let devTools = Self("POST", "/goog/cdp/execute", "")
    static let log = Self("POST", "/se/log", "")
    /// Whether commands go to pages or to Firefox itself.
    static let setContext = Self("", "", "Marionette:SetContext")
    static let begin = Self("", "", "WebDriver:NewSession")
    static let tabs = Self("", "", "WebDriver:GetWindowHandles")
}
