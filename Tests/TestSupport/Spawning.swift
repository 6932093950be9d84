import Foundation
import Synchronization

/// Held while a program is started and while a pipe for one is made. A program that is started
/// meanwhile would inherit what has no mark yet that it must not, and hold it for as long as it runs.
private let spawning = Mutex(())

extension Process {
    /// Starts the program, and no other at the same time: `Process` learns of an end from a socket that
    /// the program holds, and another one that inherits it hides the end until it ends itself.
    ///
    /// No signal is blocked in it: programs inherit what the thread blocks that starts them, and
    /// Dispatch's threads block nearly all. A shell would never hear that what it waits for has ended.
    public func start() throws {
        try spawning.withLock { _ in
            var none = sigset_t()
            var before = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            try run()
        }
    }
}

/// Runs a script of Bash to its end. What it starts may run on, as PostgreSQL does.
///
/// Not by `Process`, which waits for the end of a socket that PostgreSQL inherits. Nor may PostgreSQL inherit
/// the socket of a `Process` that starts meanwhile, so the script begins by closing all that it inherits.
///
/// - Returns: Whether it exited with 0.
func runScript(_ script: String) -> Bool {
    let closing = #"""
        for fd in /proc/$$/fd/*; do
            fd=${fd##*/}
            ((fd < 3)) || eval "exec $fd>&-"
        done

        """#
    return system("exec bash -c " + (closing + script).quotedForShell) == 0
}

extension String {
    /// The text as one word of a shell.
    var quotedForShell: String { "'" + replacing("'", with: "'\\''") + "'" }
}

extension Pipe {
    /// A pipe that only those programs have whose standard input or output it is.
    public static func unshared() -> Pipe {
        spawning.withLock { _ in
            let pipe = Pipe()
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            return pipe
        }
    }
}
