/// What a person is called on pages: any script, on one line, 1 to 80 characters.
public struct DisplayName: Hashable, Sendable {
    public static let limit = 80

    public let text: String

    /// Takes a name as someone typed it: white space is folded, control characters go, and so do
    /// those that turn the direction of the text around it.
    ///
    /// - Returns: `nil` if nothing that can be seen is left, or more than `limit` characters.
    public init?(_ text: String) {
        let line = OneLine.clean(text)
        guard line.unicodeScalars.count <= Self.limit,
            line.unicodeScalars.contains(where: Self.isVisible)
        else { return nil }
        self.text = line
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .spaceSeparator, .nonspacingMark, .enclosingMark, .unassigned, .privateUse:
            false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
