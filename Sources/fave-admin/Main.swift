import App

@main
enum Main {
    static func main() async {
        await FaveAdmin.main()
    }
}
