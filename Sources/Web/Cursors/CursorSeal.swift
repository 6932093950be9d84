import Identity

/// Signs cursors. A made-up cursor could ask the database for something that no page asks for.
struct CursorSeal: Sendable {
    private let seal: Seal

    /// - Parameter keys: All known keys. A key stays known for a while after its rotation.
    init(_ keys: [SigningKey]) {
        seal = Seal(keys.map(\.cursorKey))
    }

    /// - Returns: `nil` if there is no key.
    func seal(_ cursor: some CursorCoding) -> String? { seal.seal(cursor.text) }

    /// - Returns: `nil` if the text is not one that `seal` made, or is a cursor of another kind.
    func open<Cursor: CursorCoding>(_ text: String) -> Cursor? {
        seal.open(text).flatMap { Cursor(text: $0) }
    }
}
