import Glibc

/// How many descriptors the process may have open; RLIMIT_NOFILE of getrlimit(2).
public enum DescriptorLimit {
    /// Raises the soft limit, which is 1,024 in many places for the sake of select(2), to the hard
    /// one.
    ///
    /// - Returns: How many there may be from now on.
    public static func raise() throws(SystemError) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { throw SystemError(call: "getrlimit") }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
