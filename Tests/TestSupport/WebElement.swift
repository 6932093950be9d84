import Foundation

/// An element of the page that a `WebDriver` shows.
public struct WebElement: Sendable {
    let browser: WebDriver
    private let id: String

    /// The name of the member that stands for an element in JSON; WebDriver section 11.
    private static let identifier = "element-6066-11e4-a52e-4f735466cecf"

    init?(_ json: Any, in browser: WebDriver) {
        guard let id = (json as? [String: Any])?[Self.identifier] as? String else { return nil }
        self.browser = browser
        self.id = id
    }

    var reference: [String: String] { [Self.identifier: id] }

    /// As it is seen, so that what is hidden is left out.
    public var text: String { get throws { try browser.text(.text, ["id": id]) } }

    /// - Returns: `nil` if the markup has no such attribute.
    public func attribute(_ name: String) throws -> String? {
        try browser.evaluate("return arguments[0].getAttribute(arguments[1])", self, name)
    }

    /// A property of the object, such as `value` of a control, as text.
    public func property(_ name: String) throws -> String? {
        try browser.evaluate(
            "const value = arguments[0][arguments[1]]; return value == null ? null : `${value}`",
            self, name)
    }

    public var isDisplayed: Bool {
        get throws {
            // WebKit's driver takes what is folded for displayed.
            try browser.evaluate(
                "return arguments[0].checkVisibility({ visibilityProperty: true })", self)
        }
    }

    /// Clicks in the middle of it. Fails if something else lies above it.
    public func click() throws { try browser.send(.click, ["id": id]) }

    /// Clicks it, and waits for the page that this leads to.
    public func follow() async throws { try await browser.follow { try click() } }

    /// Empties a control.
    public func clear() throws { try browser.send(.clear, ["id": id]) }

    /// Types at the end of a control.
    public func type(_ text: String) throws {
        try browser.send(.type, ["id": id, "text": text])
    }

    /// Empties a control, and types into it.
    public func fill(_ text: String) throws {
        try clear()
        try type(text)
    }
}

extension WebDriver {
    /// The first element that matches a CSS selector. Waits until there is one.
    public func find(_ selector: String) throws -> WebElement {
        try element(of: send(.find, ["using": "css selector", "value": selector]))
    }

    /// The first link with this text and no other. Waits until there is one.
    public func findLink(_ text: String) throws -> WebElement {
        try element(of: send(.find, ["using": "link text", "value": text]))
    }

    /// All elements that match a CSS selector now.
    public func findAll(_ selector: String) throws -> [WebElement] {
        let elements = try execute(
            "return [...document.querySelectorAll(arguments[0])]", [selector])
        return try (elements as? [Any] ?? []).map(element)
    }

    /// Whether any element matches a CSS selector now.
    public func has(_ selector: String) throws -> Bool {
        try evaluate("return document.querySelector(arguments[0]) !== null", selector)
    }

    /// The element that has the keyboard's focus; the body if none has.
    public var focused: WebElement { get throws { try element(of: send(.focused)) } }

    private func element(of json: Any) throws -> WebElement {
        guard let element = WebElement(json, in: self) else {
            throw TestFailure("no element: \(json)")
        }
        return element
    }
}
