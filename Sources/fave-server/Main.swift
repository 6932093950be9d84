import App
import Dispatch

/// One executable for both programs: a second one would be as large and contain the same code.
@main
enum Main {
    // Not async: the main task would have a high priority, and so would a thread. Without privileges it
    // can't, and libdispatch complains of that to syslog.
    static func main() {
        let end = DispatchSemaphore(value: 0)
        Task.detached(priority: .medium) {
            await run()
            end.signal()
        }
        end.wait()
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
