import Endpoints
import FaveGames
import HTTP
import HTTPTypes

// The header fields of a response that depend on its request.

extension CORS {
    init(_ settings: WebSettings) {
        self.init(writers: settings.crossOrigins, publicURL: settings.publicURL)
    }

    func check(_ incoming: IncomingRequest) throws(Problem) {
        try check(
            incoming.request, incoming.kind,
            isForEveryOrigin: incoming.route?.isForEveryOrigin == true)
    }

    func preflight(
        _ incoming: IncomingRequest, methods: [HTTPRequest.Method],
        closed: [HTTPRequest.Method] = []
    ) -> Response? {
        preflight(incoming.request, incoming.kind, methods: methods, closed: closed)
    }

    func add(to response: inout Response, _ incoming: IncomingRequest) {
        add(to: &response, incoming.request.method, incoming.kind)
    }
}

extension APICaching {
    init(_ settings: WebSettings) { self.init(lifetime: settings.cacheLifetime) }

    func apply(to response: inout Response, _ incoming: IncomingRequest) {
        apply(to: &response, incoming.request, incoming.kind)
    }
}

extension SecurityFields {
    init(_ settings: WebSettings) {
        self.init(
            imageHost: settings.covers == .igdb ? CoverImage.host : nil,
            strictTransportLifetime: settings.isSecure ? settings.strictTransportLifetime : 0)
    }
}
