import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import Identity
import Storage
import Views

/// An app's request to use the account of the person whose browser brings it: RFC 6749 section 4.1.1,
/// with the parameters of RFC 7636.
struct AuthorizationRequest: Sendable {
    let app: ClientApp
    let binding: CodeBinding
    let scopes: Set<TokenScope>
    let back: Back

    /// The way back to the app.
    struct Back: Sendable {
        /// The app's name.
        let app: String
        /// One of the app's.
        let redirect: WebAddress
        let state: String?
        /// RFC 9207: which server it is that responds.
        let issuer: String

        func address(_ parameters: (String, String)...) -> String {
            let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
            let query = all.map { "\($0)=\(PercentCoding.encodeQueryValue($1))" }
                .joined(separator: "&")
            return redirect.text + (redirect.text.contains("?") ? "&" : "?") + query
        }
    }

    /// Why a request is refused. The app learns it, as its address is known to be its own.
    struct Refusal: Error {
        /// The app's name.
        let app: String
        let address: String

        fileprivate init(_ back: Back, _ error: String, _ description: String) {
            app = back.app
            address = back.address(("error", error), ("error_description", description))
        }
    }

    /// - Throws: `Refusal`; a problem if the app or its address is unknown. Then the browser is sent
    ///   nowhere.
    init(_ context: RequestContext) async throws {
        let query = context.query
        guard query.names.count == query.items.count else {
            throw Problem.badRequest(.appRepeats)
        }
        guard let id = query["client_id"].flatMap({ UUID(uuidString: $0) }),
            let app = try await context.services.store.app(id)
        else {
            throw Problem.badRequest(.appUnknown)
        }
        guard let redirect = query["redirect_uri"].flatMap({ WebAddress($0) }),
            app.redirects.contains(where: { WebAddress($0)?.allows(redirect) == true })
        else {
            throw Problem.badRequest(
                .appRedirectUnknown
            )
        }
        let state = query["state"]
        let isState = state?.consists(of: { 0x20...0x7E ~= $0 }, bytes: 0...Self.stateLimit) ?? true
        let back = Back(
            app: app.name, redirect: redirect, state: isState ? state : nil,
            issuer: context.services.settings.publicURL)
        // The whole request must come back from a sign-in.
        guard isState, ReturnPath.of(context.request.target) != nil else {
            throw Refusal(back, "invalid_request", "The request is too long.")
        }
        guard let type = query["response_type"] else {
            throw Refusal(back, "invalid_request", "A response_type is required.")
        }
        guard type == "code" else {
            throw Refusal(back, "unsupported_response_type", "The response_type must be code.")
        }
        guard query["code_challenge_method"] == "S256",
            let binding = query["code_challenge"].flatMap({
                CodeBinding(app: id, redirect: redirect.text, challenge: $0)
            })
        else {
            throw Refusal(
                back, "invalid_request", "A code_challenge with the method S256 is required.")
        }
        // A parameter without a value counts as missing: RFC 6749 section 3.1.
        let scope = query["scope"].flatMap { $0.isEmpty ? nil : $0 }
        guard let scopes = Set(scopes: scope ?? TokenScope.read.rawValue) else {
            throw Refusal(back, "invalid_scope", "A scope is unknown.")
        }
        self.app = app
        self.binding = binding
        self.scopes = scopes
        self.back = back
    }

    private static let stateLimit = 500
}
