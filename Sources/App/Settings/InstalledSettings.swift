import Foundation
import Glibc
import Synchronization

/// The settings of the site that is installed on this machine. Both programs read its files themselves,
/// so that a command that someone types speaks of the same site as the units of systemd.
///
/// A variable of the environment takes precedence over the files. Where the environment names a database,
/// it is about another site, and the files are not read.
package struct InstalledSettings: Sendable {
    /// The variables that come from files, with the file.
    let origins: [String: String]
    /// Why the files can't be used, in words for the operator; `nil` if they can, or if there are none.
    let problem: String?

    static let none = InstalledSettings(origins: [:], problem: nil)

    /// What this process has adopted.
    static var adopted: InstalledSettings { storage.withLock { $0 } }

    private static let storage = Mutex(InstalledSettings.none)
    private static let user = "fave-games"
    private static let sizeLimit = 1 << 20

    /// Reads the files into the environment, and continues as the user of the installed site if root
    /// has started the program. Must be called before the process has other threads, because it changes
    /// the environment and the user.
    package static func adopt() {
        let names = ["DATABASE_URL", "DATABASE_URL_FILE"]
        guard names.allSatisfy({ getenv($0) == nil }), access("/etc/fave-games", F_OK) == 0 else {
            return
        }
        let installed: InstalledSettings
        do throws(OperatorError) {
            // Before the files are read: the server can't read a file that only root can, either.
            try becomeUser()
            let variables = try variables(below: "").filter { !isGiven($0.key) }
            for (name, variable) in variables { setenv(name, variable.value, 0) }
            installed = InstalledSettings(origins: variables.mapValues(\.file), problem: nil)
        } catch {
            installed = InstalledSettings(origins: [:], problem: error.description)
        }
        storage.withLock { $0 = installed }
    }

    /// Whether the environment has a variable, or the same secret in its other form.
    private static func isGiven(_ name: String) -> Bool {
        let suffix = "_FILE"
        let other = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name + suffix
        return getenv(name) != nil || getenv(other) != nil
    }

    /// The variables of all files, each with the file that it comes from.
    ///
    /// - Parameter root: What the files' paths begin with; empty for the machine's own.
    static func variables(
        below root: String
    ) throws(OperatorError) -> [String: (value: String, file: String)] {
        var variables: [String: (value: String, file: String)] = [:]
        for path in try files(root) {
            for (name, value) in EnvironmentFile.variables(try contents(of: path)) {
                variables[name] = (value, path)
            }
        }
        return variables
    }

    /// The files that exist, in the order in which they are read: a later one takes precedence.
    private static func files(_ root: String) throws(OperatorError) -> [String] {
        let folder = root + "/etc/fave-games/fave-games.conf.d"
        var names: [String] = []
        if access(folder, F_OK) == 0 {
            guard let found = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
                throw unreadable(folder)
            }
            names = found.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted()
        }
        let paths =
            [
                root + "/usr/share/fave-games/package.conf",
                root + "/etc/fave-games/fave-games.conf",
            ] + names.map { folder + "/" + $0 }
        return paths.filter { access($0, F_OK) == 0 }
    }

    private static func contents(of path: String) throws(OperatorError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try SettingFile.contents(of: path, limit: sizeLimit)
        } catch {
            throw error.code == EACCES
                ? unreadable(path) : OperatorError("\(path) cannot be read (\(error.reason)).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw OperatorError("\(path) is not in UTF-8.")
        }
        return text
    }

    private static func unreadable(_ path: String) -> OperatorError {
        OperatorError(
            """
            The settings of the installed site are in \(path), which this user can't read. Use sudo; if \
            that says the same, let the site's user read it: chgrp \(user) \(path); chmod g+r \(path)
            """)
    }

    /// Gives up the rights of root: PostgreSQL knows the site's user, and nothing that a program creates
    /// should belong to root.
    private static func becomeUser() throws(OperatorError) {
        guard geteuid() == 0 else { return }
        guard let entry = getpwnam(user) else {
            throw OperatorError(
                """
                There is no user \(user), whom the installed site runs as. Create it: adduser --system \
                --group --no-create-home --home /var/lib/fave-games \(user)
                """)
        }
        let (identifier, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        setenv("HOME", String(cString: entry.pointee.pw_dir), 1)
        guard initgroups(user, group) == 0, setgid(group) == 0, setuid(identifier) == 0 else {
            throw OperatorError(
                "Cannot continue as the user \(user): \(String(cString: strerror(errno))).")
        }
    }
}
