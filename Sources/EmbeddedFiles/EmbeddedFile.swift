import Foundation

/// A file that the build has put into the program.
///
/// A target with the plugin `EmbedFiles` has all files of its folder that are neither Swift nor
/// templates in `EmbeddedFile.all`.
package struct EmbeddedFile: Sendable {
    /// Relative to the target's folder, for example "assets/site.css".
    package let path: String
    private let base64: StaticString

    package init(path: String, base64: StaticString) {
        self.path = path
        self.base64 = base64
    }

    /// The bytes of the file, decoded at each call.
    package var contents: [UInt8] {
        guard let data = Data(base64Encoded: base64.description) else {
            preconditionFailure("view-compiler wrote \(path) in base64")
        }
        return Array(data)
    }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
