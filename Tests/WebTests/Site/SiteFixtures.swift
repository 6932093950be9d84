import Endpoints
import HTTP
import HTTPTypes
import Sockets

@testable import Web

extension IncomingRequest {
    /// A request to one of the program's routes, or to one of the test's own.
    init(
        _ services: Services, _ router: Router<Web.Route> = Routes.router,
        method: HTTPRequest.Method = .get, target: String, fields: HTTPFields = [:],
        from peer: ClientAddress = .local
    ) throws {
        self.init(
            try Request(method: method, target: target, headerFields: fields), from: peer, services,
            router, PageLanguages(services.settings, router))
    }
}

extension Routes {
    static func router(_ routes: Web.Route...) -> Router<Web.Route> {
        var router = Router<Web.Route>()
        for route in routes { router.add(route.method, route.pattern, route) }
        return router
    }
}

extension Response {
    /// The message, with all its fields.
    var message: String {
        var bytes: [UInt8] = []
        ResponseSerializer.append(
            self, to: &bytes, forHEAD: false, minorVersion: 1, keepsAlive: true, date: [])
        return String(decoding: bytes, as: UTF8.self)
    }
}
