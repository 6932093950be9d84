import EmbeddedFiles

/// The files of the folder `assets`: style sheets, scripts, icons, and the API's description.
package enum Assets {
    /// The bytes of the files, by file name.
    package static var files: [String: [UInt8]] {
        let assets = EmbeddedFile.all.filter { $0.path.hasPrefix("assets/") }
        return Dictionary(uniqueKeysWithValues: assets.map { ($0.name, $0.contents) })
    }
}
