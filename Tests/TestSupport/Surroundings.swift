import Glibc

/// What the tests are started with.
public enum Surroundings {
    /// Makes libcurl talk to this machine itself, whatever proxy the environment names.
    public static func ignoreProxies() { _ = proxiesAreIgnored }

    /// Once, and only if need be: another thread may be reading the environment.
    private static let proxiesAreIgnored: Void = {
        if getenv("no_proxy").map({ String(cString: $0) }) != "*" { setenv("no_proxy", "*", 1) }
    }()
}
