import Glibc

/// How many descriptors the process may have open; RLIMIT_NOFILE of getrlimit(2).
public enum DescriptorLimit {
    /// Raises the soft limit to the hard limit. Many systems set the soft limit to 1,024 for the
    /// sake of select(2).
    ///
    /// - Returns: The new soft limit, or the old one if it could not be raised.
    public static func raise() throws(SystemError) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { throw SystemError(call: "getrlimit") }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
