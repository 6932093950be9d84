import Endpoints
import HTTP
import HTTPTypes

/// Refuses what changes something, and the pages that only lead there, in maintenance mode.
struct MaintenanceStep: Sendable {
    let mode: MaintenanceMode
    let router: Router<Route>

    /// - Throws: 503 with the operator's message.
    func check(_ context: IncomingRequest) throws(Problem) {
        guard let message = mode.message, let route = context.route,
            route.operation?.isRead != true, !Self.endsSession(route),
            !route.method.isRead || leadsToChange(context, route)
        else { return }
        throw .maintenance(message)
    }

    /// Nobody has to stay signed in on a computer that others use.
    private static func endsSession(_ route: Route) -> Bool {
        [SignOutPage.path, "/api/v1/sessions/current", OAuthAPI.revocationPath]
            .contains(route.pattern)
    }

    /// Whether the address is that of a form, or leads to another site to sign in. A session is stored in
    /// the database.
    private func leadsToChange(_ context: IncomingRequest, _ route: Route) -> Bool {
        guard route.kind == .page else { return false }
        if route.pattern.hasPrefix(ProviderSignIn.folder) { return true }
        let target = context.request.target
        if case .found = router.match(.post, target.segments) { return true }
        return false
    }
}
