import Foundation

/// What the process's control groups allow it, as containers and systemd's `CPUQuota=` and `MemoryMax=`
/// set it; cgroups(7).
struct ControlGroups {
    /// The folders of the groups and of all groups around them.
    private let folders: [Folder]
    private let read: (String) -> String?

    private struct Folder {
        let path: String
        let isV2: Bool
    }

    /// - Parameters:
    ///   - mounts: The text of `/proc/self/mountinfo`.
    ///   - groups: The text of `/proc/self/cgroup`.
    ///   - read: Returns the text of a file; `nil` if there is none.
    init(mounts: String?, groups: String?, read: @escaping (String) -> String?) {
        let hierarchies = (mounts ?? "").split(separator: "\n").compactMap(Hierarchy.init)
        let memberships = (groups ?? "").split(separator: "\n").compactMap(Membership.init)
        self.read = read
        folders = hierarchies.flatMap { hierarchy in
            memberships.filter { hierarchy.contains($0) }.flatMap { membership in
                hierarchy.folders(of: membership.path).map {
                    Folder(path: $0, isV2: hierarchy.controllers == nil)
                }
            }
        }
    }

    /// Those of this process.
    static var own: ControlGroups {
        func contents(_ path: String) -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        return ControlGroups(
            mounts: contents("/proc/self/mountinfo"), groups: contents("/proc/self/cgroup"),
            read: contents)
    }

    /// How many processors' time there is, rounded up; `nil` if there is no limit.
    var processors: Int? {
        folders.compactMap { folder in
            guard !folder.isV2 else { return share(read(folder.path + "/cpu.max")) }
            let quota = read(folder.path + "/cpu.cfs_quota_us") ?? ""
            return share(quota + " " + (read(folder.path + "/cpu.cfs_period_us") ?? ""))
        }.min().map { max(1, Int($0.rounded(.up))) }
    }

    /// The bytes of memory that there are; `nil` if there is no limit.
    var memory: Int? {
        folders.compactMap { folder in
            read(folder.path + (folder.isV2 ? "/memory.max" : "/memory.limit_in_bytes"))
                .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        // Without a limit, version 1 says the largest number of pages.
        .filter { $0 < 1 << 60 }.min()
    }

    /// - Parameter text: The microseconds of CPU time in a period, and the period: `150000 100000`, or
    ///   `max 100000`.
    private func share(_ text: String?) -> Double? {
        let numbers = (text ?? "").split(whereSeparator: \.isWhitespace).map { Double($0) }
        guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0,
            period > 0, quota / period < 1e6
        else { return nil }
        return quota / period
    }

    /// A line of `/proc/self/cgroup`.
    private struct Membership {
        /// `nil` for the hierarchy of version 2.
        let controllers: Substring?
        let path: Substring

        init?(_ line: Substring) {
            let fields = line.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            controllers = fields[0] == "0" ? nil : fields[1]
            path = fields[2]
        }
    }

    /// A line of `/proc/self/mountinfo` on which a hierarchy of groups is mounted.
    private struct Hierarchy {
        /// `nil` for version 2.
        let controllers: [Substring]?
        /// The group that is mounted. In a container without a namespace of groups, that is not the
        /// root, and what is around it can't be seen.
        private let root: Substring
        private let folder: String

        init?(_ line: Substring) {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let dash = parts.firstIndex(of: "-"), dash >= 6, parts.count > dash + 3 else {
                return nil
            }
            switch parts[dash + 1] {
            case "cgroup2": controllers = nil
            case "cgroup": controllers = parts[dash + 3].split(separator: ",")
            default: return nil
            }
            root = parts[3] == "/" ? "" : parts[3]
            folder = String(parts[4])
        }

        func contains(_ membership: Membership) -> Bool {
            guard let controllers else { return membership.controllers == nil }
            return membership.controllers?.split(separator: ",").contains {
                controllers.contains($0) && ["cpu", "memory"].contains($0)
            } ?? false
        }

        /// The folders of a group and of all groups around it.
        func folders(of path: Substring) -> [String] {
            guard path.hasPrefix(root + "/") || path == root else { return [folder] }
            var rest = path.dropFirst(root.count)
            var folders = [folder]
            while let slash = rest.lastIndex(of: "/") {
                if rest != "/" { folders.append(folder + rest) }
                rest = rest[..<slash]
            }
            return folders
        }
    }
}
