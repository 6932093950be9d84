import CRelease

/// The release that the programs belong to. CHANGELOG.md says what is new in it.
enum Release {
    static let version = "1.0.0"

    /// The release, the commit if the build knows it, and the schema, for the log.
    static func description(schema: Int) -> String {
        let commit = String(cString: release_commit())
        let build = commit.isEmpty ? "" : " (commit \(commit))"
        return "Fave Games \(version)\(build), schema \(schema)"
    }
}
