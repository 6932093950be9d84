import App

/// One executable for both programs: a second one would be as large and contain the same code.
@main
enum Main {
    static func main() async {
        let name = CommandLine.arguments.first?.split(separator: "/").last
        if name == "fave-admin" {
            await FaveAdmin.main()
        } else {
            await FaveServer.main()
        }
    }
}
