/// The addresses of the files that every page needs, with the files' versions.
package struct PageAssets: Sendable {
    let stylesheet: String
    let script: String
    /// What the script imports.
    let imported: String
    let icon: String
    let touchIcon: String
    let manifest: String

    /// - Parameter path: Finds the address of a file in the folder `assets`.
    package init(path: (String) -> String) {
        stylesheet = path("site.css")
        script = path("site.js")
        imported = path("suggestions.js")
        icon = path("favicon.svg")
        touchIcon = path("apple-touch-icon.png")
        manifest = path("site.webmanifest")
    }
}
