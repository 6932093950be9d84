import Endpoints
import HTTP
import HTTPTypes

// The header fields of a response that depend on its request.

extension CORS {
    init(_ settings: WebSettings) {
        self.init(writers: settings.crossOrigins, publicURL: settings.publicURL)
    }

    func check(_ exchange: Exchange) throws(Problem) {
        try check(exchange.request, exchange.kind)
    }

    func preflight(_ exchange: Exchange, methods: [HTTPRequest.Method]) -> Response? {
        preflight(exchange.request, exchange.kind, methods: methods)
    }

    func add(to response: inout Response, _ exchange: Exchange) {
        add(to: &response, exchange.request, exchange.kind)
    }
}

extension APICaching {
    init(_ settings: WebSettings) { self.init(lifetime: settings.cacheLifetime) }

    func apply(to response: inout Response, _ exchange: Exchange) {
        apply(to: &response, exchange.request, exchange.kind)
    }
}

extension SecurityFields {
    init(_ settings: WebSettings) {
        self.init(
            imageHost: "https://images.igdb.com",
            strictTransportLifetime: settings.isSecure ? settings.strictTransportLifetime : 0)
    }
}
