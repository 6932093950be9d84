import HTTP
import HTTPTypes

/// The addresses of an application as a table of contents, for people who want to know which there are.
package enum RouteTable {
    /// What an empty cell of a table means.
    package static let emptyCells = """
        Where a cell is empty, anyone may send the request, it costs one unit, and caches ask the \
        server before they use a response again.
        """

    /// - Returns: A table in Markdown: pages first, then the API, each by path.
    package static func markdown<Services>(_ routes: [Route<Services>]) -> String {
        let head = """
            | Method | Path | For | Cost | Caching | File |
            | --- | --- | --- | --- | --- | --- |
            """
        let rows = routes.sorted {
            ($0.kind.isAPI ? 1 : 0, $0.pattern, $0.method.rawValue)
                < ($1.kind.isAPI ? 1 : 0, $1.pattern, $1.method.rawValue)
        }
        .map { "| \(cells($0).joined(separator: " | ")) |" }
        return ([head] + rows).joined(separator: "\n") + "\n"
    }

    private static func cells<Services>(_ route: Route<Services>) -> [String] {
        [
            route.method.rawValue, "`\(route.pattern)`", audience(route), cost(route),
            route.method.isRead ? caching(route.caching) : "",
            String(route.file.split(separator: "/").last ?? ""),
        ]
    }

    private static func audience<Services>(_ route: Route<Services>) -> String {
        let people =
            route.audience
            ?? (route.signIn == .required && !route.kind.isAPI ? "people who are signed in" : nil)
        let token: String? =
            switch route.access {
            case .scope(let scope): "tokens with `\(scope)`"
            case .session: "tokens of sessions"
            case nil: nil
            }
        guard route.signIn != .optional else { return "anyone, and \(token ?? "tokens")" }
        return [people, token].compactMap { $0 }.joined(separator: ", ")
    }

    private static func cost<Services>(_ route: Route<Services>) -> String {
        let surcharges = route.surcharges.map { "\($0.surcharge) with `\($0.name)`" }
        guard route.cost != .plain || !surcharges.isEmpty else { return "" }
        return ([route.cost.description] + surcharges).joined(separator: ", ")
    }

    private static func caching(_ caching: Caching) -> String {
        switch caching {
        case .revalidated: ""
        case .constant: "constant"
        case .never: "never"
        case .everywhere(let seconds): "\(seconds) s"
        case .immutable: "for ever"
        }
    }
}
