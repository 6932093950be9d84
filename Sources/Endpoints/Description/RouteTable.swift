/// The addresses of an application as a table, for people who want to know which there are.
package enum RouteTable {
    /// - Parameter folders: Those of the files, by their names.
    /// - Returns: A table in Markdown, by path.
    package static func markdown<Services>(
        _ routes: [Route<Services>], in folders: [String: String] = [:]
    ) -> String {
        let head = """
            | Method | Path | Who may call | Scope | Cost | Caching | File |
            | --- | --- | --- | --- | --- | --- | --- |
            """
        let rows = routes.sorted {
            ($0.pattern, $0.method.rawValue) < ($1.pattern, $1.method.rawValue)
        }
        .map { "| \(cells($0, folders).joined(separator: " | ")) |" }
        return ([head] + rows).joined(separator: "\n") + "\n"
    }

    private static func cells<Services>(
        _ route: Route<Services>, _ folders: [String: String]
    ) -> [String] {
        let file = String(route.file.split(separator: "/").last ?? "")
        return [
            route.method.rawValue, "`\(route.pattern)`", caller(route), scope(route.access),
            cost(route), route.method.isRead ? caching(route.caching) : "",
            folders[file].map { "\($0)/\(file)" } ?? file,
        ]
    }

    private static func caller<Services>(_ route: Route<Services>) -> String {
        if let audience = route.audience { return audience }
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
        case .immutable: "for ever"
        }
    }
}
