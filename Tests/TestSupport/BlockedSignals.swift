import Glibc

/// Runs `body` with no signal blocked: programs inherit what the thread blocks that starts them, and
/// Dispatch's threads block nearly all. A shell would never hear that what it waits for has ended.
func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}
