/// A key that stands for no character; WebDriver section 15.4.2.
public enum Key: String, Sendable {
    case backspace = "\u{E003}"
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case shift = "\u{E008}"
    case control = "\u{E009}"
    case alt = "\u{E00A}"
    case escape = "\u{E00C}"
    case space = "\u{E00D}"
    case pageUp = "\u{E00E}"
    case pageDown = "\u{E00F}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case arrowLeft = "\u{E012}"
    case arrowUp = "\u{E013}"
    case arrowRight = "\u{E014}"
    case arrowDown = "\u{E015}"
    case delete = "\u{E017}"
}

public enum PointerType: String, Sendable {
    case mouse, touch, pen
}

// Keys and pointers, wherever the focus is and whatever they hit; WebDriver section 15.
extension WebDriver {
    /// Presses a key while others are held down.
    public func press(_ key: Key, holding modifiers: Key...) throws {
        try press(key.rawValue, modifiers)
    }

    /// Presses the key of a character while others are held down.
    public func press(_ character: Character, holding modifiers: Key...) throws {
        try press(String(character), modifiers)
    }

    /// Types a text, key by key.
    public func type(_ text: String) throws {
        try perform("key", text.flatMap { Self.strokes(String($0)) })
    }

    private func press(_ key: String, _ modifiers: [Key]) throws {
        let down = modifiers.map { ["type": "keyDown", "value": $0.rawValue] }
        let up = modifiers.reversed().map { ["type": "keyUp", "value": $0.rawValue] }
        try perform("key", down + Self.strokes(key) + up)
    }

    private static func strokes(_ key: String) -> [[String: String]] {
        [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]]
    }

    /// Takes hold of the middle of an element, moves to the middle of another one, and lets go.
    ///
    /// - Parameter offset: How far below the middle of the other one to let go, in CSS pixels.
    public func drag(
        _ source: WebElement, to destination: WebElement, offset: Int = 0,
        with type: PointerType = .mouse
    ) throws {
        try run("arguments[0].scrollIntoView({ block: 'nearest' })", source)
        try perform(
            "pointer",
            [
                Self.move(to: source), ["type": "pointerDown", "button": 0],
                // Pages tell a drag from a click by the first few pixels.
                Self.move(to: source, x: 6, y: 6, milliseconds: 20),
                Self.move(to: destination, y: offset, milliseconds: 100),
                // A place that opens below the pointer hears of it only when that moves again.
                Self.move(to: destination, x: 1, y: offset, milliseconds: 20),
                ["type": "pointerUp", "button": 0],
            ], pointer: type)
    }

    /// Moves the mouse to the middle of an element.
    public func hover(_ element: WebElement) throws {
        try perform("pointer", [Self.move(to: element)], pointer: .mouse)
    }

    private static func move(
        to element: WebElement, x: Int = 0, y: Int = 0, milliseconds: Int = 0
    ) -> [String: Any] {
        [
            "type": "pointerMove", "origin": element.reference, "x": x, "y": y,
            "duration": milliseconds,
        ]
    }

    /// Lets go of every key and button.
    public func releaseActions() throws { try send(.releaseActions) }

    private func perform(
        _ device: String, _ actions: [[String: Any]], pointer: PointerType? = nil
    ) throws {
        var sequence: [String: Any] = [
            "type": device, "id": pointer?.rawValue ?? device, "actions": actions,
        ]
        if let pointer { sequence["parameters"] = ["pointerType": pointer.rawValue] }
        try send(.perform, ["actions": [sequence]])
    }
}
