import Languages

/// A card in one of its formats and themes.
package struct CardLink: Sendable {
    /// What it is made for.
    let name: Words
    let path: String
    /// The file name for saving it.
    let fileName: String
    let width: Int
    let height: Int
    /// Of the background; empty if there is only one.
    let theme: String

    package init(
        name: Words, path: String, fileName: String, width: Int, height: Int, theme: String = ""
    ) {
        self.name = name
        self.path = path
        self.fileName = fileName
        self.width = width
        self.height = height
        self.theme = theme
    }
}
