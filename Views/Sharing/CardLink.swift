/// A card in one of its formats.
package struct CardLink: Sendable {
    /// What it is made for.
    let name: String
    let path: String
    /// The file name for saving it.
    let fileName: String
    let width: Int
    let height: Int

    package init(name: String, path: String, fileName: String, width: Int, height: Int) {
        self.name = name
        self.path = path
        self.fileName = fileName
        self.width = width
        self.height = height
    }
}
