/// The addresses of an application as a table, for people who want to know which there are.
package enum RouteTable {
    /// - Returns: A table in Markdown, by path.
    package static func markdown<Services>(_ routes: [Route<Services>]) -> String {
        let head = """
            | Method | Path | Who may call | Scope | Cost | Caching | File |
            | --- | --- | --- | --- | --- | --- | --- |
            """
        let rows = routes.sorted {
            ($0.pattern, $0.method.rawValue) < ($1.pattern, $1.method.rawValue)
        }
        .map { "| \(cells($0).joined(separator: " | ")) |" }
        return ([head] + rows).joined(separator: "\n") + "\n"
    }

    private static func cells<Services>(_ route: Route<Services>) -> [String] {
        [
            route.method.rawValue, "`\(route.pattern)`", caller(route), scope(route.access),
            cost(route), caching(route.caching),
            String(route.file.split(separator: "/").last ?? ""),
        ]
    }

    private static func caller<Services>(_ route: Route<Services>) -> String {
        guard !route.isForModerators else { return "moderators" }
        return switch route.caller {
        case .anyone: "anyone"
        case .perhapsUser: "anyone, with a token more"
        case .user: route.kind.isAPI ? "a token's user" : "a signed-in visitor"
        }
    }

    private static func scope(_ access: RequiredAccess?) -> String {
        switch access {
        case .scope(let scope): scope
        case .session: "a session's token"
        case nil: ""
        }
    }

    private static func cost<Services>(_ route: Route<Services>) -> String {
        let surcharges = route.surcharges.map { "\($0.surcharge) with `\($0.name)`" }
        return ([route.cost.description] + surcharges).joined(separator: ", ")
    }

    private static func caching(_ caching: Caching) -> String {
        switch caching {
        case .revalidated: "revalidated"
        case .constant: "constant"
        case .never: "never"
        case .everywhere(let seconds): "\(seconds) s"
        }
    }
}
