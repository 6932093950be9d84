import Endpoints
import HTTP
import HTTPTypes
import Languages

/// Adds the fields that every response has, even an error: for caches, other sites and browsers.
struct FieldStep: Sendable {
    private let caching: APICaching
    private let crossOrigin: CORS
    private let securityFields: SecurityFields
    private let hasLanguages: Bool

    init(_ settings: WebSettings) {
        caching = APICaching(settings)
        crossOrigin = CORS(settings)
        securityFields = SecurityFields(settings)
        hasLanguages = settings.languages.areSeveral
    }

    func complete(_ response: inout Response, _ context: IncomingRequest) {
        response.route = context.pattern
        keepApart(&response, context)
        caching.apply(to: &response, context)
        crossOrigin.add(to: &response, context)
        securityFields.add(to: &response, of: context.kind)
    }

    /// Completes the response to an error of the connection.
    func complete(_ response: inout Response, of kind: AddressKind) {
        crossOrigin.add(to: &response, nil, kind)
        securityFields.add(to: &response, of: kind)
    }

    /// Tells caches not to mix up what different people see.
    private func keepApart(_ response: inout Response, _ context: IncomingRequest) {
        guard context.kind == .page else { return }
        response.headerFields.vary(by: "Cookie")
        if hasLanguages { response.headerFields.vary(by: "Accept-Language") }
        if context.visitor != nil, response.headerFields.value(of: .cacheControl) == "no-cache" {
            response.headerFields[.cacheControl] = "private, no-cache"
        }
    }
}
