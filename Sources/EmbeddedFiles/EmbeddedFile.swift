import Foundation

/// A file that the build has embedded in the program.
///
/// In a target with the plugin `EmbedFiles`, `EmbeddedFile.all` holds all files of the target's
/// folder that are neither Swift nor templates.
package struct EmbeddedFile: Sendable {
    /// Relative to the target's folder, for example "assets/site.css".
    package let path: String
    private let base64: StaticString

    package init(path: String, base64: StaticString) {
        self.path = path
        self.base64 = base64
    }

    /// The bytes of the file, decoded each time.
    package var contents: [UInt8] {
        guard let data = Data(base64Encoded: base64.description) else {
            preconditionFailure("view-compiler wrote \(path) in base64")
        }
        return Array(data)
    }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
