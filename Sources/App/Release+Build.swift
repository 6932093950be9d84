import CRelease
import FaveGames

extension Release {
    /// The release, the commit if the build knows it, and the schema, for the log.
    static func description(schema: Int) -> String {
        let commit = String(cString: release_commit())
        let build = commit.isEmpty ? "" : " (commit \(commit))"
        return "\(program) \(version)\(build), schema \(schema)"
    }
}
