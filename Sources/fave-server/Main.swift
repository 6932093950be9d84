import App

/// One executable for both programs: a second one would be as large and contain the same code.
@main
enum Main {
    static func main() async {
        // The main task has a high priority, which its tasks get from it, and their threads can't have:
        // libdispatch complains on standard error. To await a task's value would raise it again.
        await withUnsafeContinuation { continuation in
            Task.detached(priority: .medium) {
                await run()
                continuation.resume()
            }
        }
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
