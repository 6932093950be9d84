import EmbeddedFiles

/// The files of the folder `assets`: style sheets, scripts, icons, and the API's description.
package enum Assets {
    package static var files: [EmbeddedFile] {
        EmbeddedFile.all.filter { $0.path.hasPrefix("assets/") }
    }
}
