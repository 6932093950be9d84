import Foundation

/// Files, written as Swift source.
///
/// The bytes of each file become a base64 string. The Swift compiler takes a second for a megabyte
/// of base64, and minutes for an array of as many numbers.
struct EmbeddedFileList {
    let swift: String

    /// - Parameter files: Their paths as the program knows them, and their bytes.
    init(_ files: [(path: String, contents: Data)]) {
        let entries = files.map { path, contents in
            """
                    EmbeddedFile(
                        path: \(path.debugDescription),
                        base64: "\(contents.base64EncodedString())"),

            """
        }
        swift = """
            // Made by view-compiler from the files named here; edit those.

            import EmbeddedFiles

            extension EmbeddedFile {
                /// The files in this module's folder.
                static let all: [EmbeddedFile] = [
            \(entries.joined())    ]
            }

            """
    }
}
