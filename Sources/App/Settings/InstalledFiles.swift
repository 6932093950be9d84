import Foundation

/// Finds the folders that stand beside the sources: SwiftPM does not put them into the program.
enum InstalledFiles {
    /// - Parameter configured: Taken as it is, if the operator named one.
    /// - Returns: `name` in the working directory; or in, beside or above the program's directory,
    ///   which is where it is when run from a checkout; or in `share/fave-games` beside `bin`.
    static func folder(_ name: String, configured: String?, setting: Setting) throws(SettingError)
        -> String
    {
        if let configured { return configured }
        var candidates = [FileManager.default.currentDirectoryPath]
        if let program = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/exe")
        {
            var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
            candidates.append(
                folder.appendingPathComponent("../share/fave-games").standardizedFileURL.path)
            while folder.path != "/" {
                candidates.append(folder.path)
                folder.deleteLastPathComponent()
            }
        }
        for candidate in candidates {
            let path = "\(candidate)/\(name)"
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            {
                return path
            }
        }
        throw SettingError(
            "The folder \(name) was not found. Run from the checkout, or set \(setting.name).")
    }
}
