import App
import COpenSSL
import Dispatch
import Glibc

/// One executable for both programs: a second one would be as large and contain the same code.
@main
enum Main {
    /// Not async, because variables must be set before libdispatch has a thread.
    static func main() {
        // Otherwise, a socket would get the number of a standard descriptor that is closed, and what is
        // printed.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
        // That thread asks for a priority that takes privileges, and syslog would hear of it each
        // time.
        unsafe setenv("LIBDISPATCH_LOG", "NO", 1)
        InstalledSettings.adopt()
        // At the exit, OpenSSL would free what the thread of a loop that is just ending frees, too.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        Task {
            await run()
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }

    private static func run() async {
        let name = CommandLine.arguments.first?.split(separator: "/").last
        if name == "fave-admin" {
            await FaveAdmin.main()
        } else {
            await FaveServer.main()
        }
    }
}
