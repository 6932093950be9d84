import Testing

@testable import App

@Suite("What control groups allow")
struct ControlGroupsTests {
    private static let v2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
    private static let unlimited = "max 100000\n"

    private static func limit(
        _ files: [String: String], mounts: String = v2, groups: String
    ) -> Int? {
        ControlGroups(mounts: mounts, groups: groups) { files[$0] }.processors
    }

    @Test(
        "are as many processors as the group's share of CPU time, rounded up, and at least one",
        arguments: [
            ("200000 100000\n", 2), ("150000 100000\n", 2), ("20000 100000\n", 1),
            ("100000 100000\n", 1), ("50000 20000\n", 3), (unlimited, nil), ("", nil),
            ("0 100000", nil), ("100000 0", nil), ("x y", nil), ("-1 100000", nil),
        ])
    func share(text: String, count: Int?) {
        #expect(
            Self.limit(["/sys/fs/cgroup/a.slice/cpu.max": text], groups: "0::/a.slice\n") == count)
    }

    @Test("is limited by all groups around the process's")
    func nested() {
        let groups = "0::/a.slice/b.service/c\n"
        let root = "/sys/fs/cgroup"
        var files = [
            "\(root)/a.slice/cpu.max": "300000 100000\n",
            "\(root)/a.slice/b.service/cpu.max": Self.unlimited,
            "\(root)/a.slice/b.service/c/cpu.max": "800000 100000\n",
            "\(root)/other/cpu.max": "100000 100000\n",
        ]
        #expect(Self.limit(files, groups: groups) == 3)
        files["\(root)/a.slice/b.service/cpu.max"] = "200000 100000\n"
        #expect(Self.limit(files, groups: groups) == 2)
    }

    @Test("is found in a container, whether or not it has a namespace of groups")
    func containers() {
        let files = ["/sys/fs/cgroup/cpu.max": "100000 100000\n"]
        #expect(Self.limit(files, groups: "0::/\n") == 1)
        let mounts = "35 24 0:30 /docker/7f /sys/fs/cgroup ro shared:4 - cgroup2 cgroup ro\n"
        #expect(Self.limit(files, mounts: mounts, groups: "0::/docker/7f\n") == 1)
        #expect(Self.limit(files, mounts: mounts, groups: "0::/../elsewhere\n") == 1)
    }

    @Test("is found with groups of version 1, too, also beside version 2")
    func version1() {
        let mounts = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw

            """
        let groups = "4:memory:/m\n2:cpu,cpuacct:/docker/7f\n0::/u\n"
        let folder = "/sys/fs/cgroup/cpu,cpuacct/docker/7f"
        var files = [
            "\(folder)/cpu.cfs_quota_us": "250000\n", "\(folder)/cpu.cfs_period_us": "100000\n",
        ]
        #expect(Self.limit(files, mounts: mounts, groups: groups) == 3)
        files["/sys/fs/cgroup/unified/u/cpu.max"] = "100000 100000\n"
        #expect(Self.limit(files, mounts: mounts, groups: groups) == 1)
        files["/sys/fs/cgroup/unified/u/cpu.max"] = nil
        files["\(folder)/cpu.cfs_quota_us"] = "-1\n"
        #expect(Self.limit(files, mounts: mounts, groups: groups) == nil)
    }

    @Test("is as much memory as the strictest group's")
    func memory() {
        func memory(_ files: [String: String]) -> Int? {
            ControlGroups(mounts: Self.v2, groups: "0::/a/b\n") { files[$0] }.memory
        }
        let (outer, inner) = ("/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/a/b/memory.max")
        #expect(memory([outer: "536870912\n", inner: "max\n"]) == 536_870_912)
        #expect(memory([outer: "536870912\n", inner: "268435456\n"]) == 268_435_456)
        #expect(memory([outer: "max\n"]) == nil)
        let mounts = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        for (text, bytes) in [("9223372036854771712\n", nil), ("1048576\n", 1_048_576)] {
            let groups = ControlGroups(mounts: mounts, groups: "4:memory:/m\n") {
                $0 == "/sys/fs/cgroup/memory/m/memory.limit_in_bytes" ? text : nil
            }
            #expect(groups.memory == bytes)
            #expect(groups.processors == nil)
        }
    }

    @Test("bounds how many passwords are hashed at once")
    func hashers() {
        func hashers(_ processors: Int, _ memory: Int?) -> Int {
            ServerSettings.passwordHashers(cost: 15, processors: processors, memory: memory)
        }
        #expect(hashers(1, nil) == 1)
        #expect(hashers(8, nil) == 4)
        #expect(hashers(500, nil) == 64)
        #expect(hashers(64, 1 << 30) == 8)
        #expect(hashers(64, 1 << 20) == 1)
    }

    @Test("has no limit where the system has no groups")
    func none() {
        for groups in [
            ControlGroups(mounts: nil, groups: nil) { _ in nil },
            ControlGroups(mounts: "x\n- - -\n", groups: "x\n::\n") { _ in nil },
        ] {
            #expect(groups.processors == nil)
            #expect(groups.memory == nil)
        }
        #expect(UsableProcessors.count >= 1)
    }
}
