import Encodings
import Foundation
import HTTP
import HTTPTypes
import Synchronization

/// How a client tells the token endpoint its secret: OpenID Connect Core 1.0, section 9.
enum ClientAuthentication: String, Sendable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"

    var other: Self { self == .basic ? .post : .basic }

    /// Adds the secret to a request.
    func add(
        _ secret: String, of clientID: String, to fields: inout HTTPFields,
        _ items: inout [(String, String)]
    ) {
        switch self {
        case .basic:
            // RFC 6749 section 2.3.1: both are escaped as in a form, before base64.
            let pair = [clientID, secret].map(PercentCoding.encodeQueryValue)
                .joined(separator: ":")
            fields[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
        case .post: items += [("client_id", clientID), ("client_secret", secret)]
        }
    }

    /// The method that a provider has accepted from us. Its metadata lists those that it knows, but a
    /// client may be registered for one of them only.
    final class Accepted: Sendable {
        private let method = Mutex(ClientAuthentication?.none)

        /// The method to try first.
        func first(of metadata: ProviderMetadata) -> ClientAuthentication {
            let basic = ClientAuthentication.basic.rawValue
            let announced = metadata.tokenEndpointAuthMethods ?? [basic]
            return method.withLock { $0 } ?? (announced.contains(basic) ? .basic : .post)
        }

        func set(_ accepted: ClientAuthentication) { method.withLock { $0 = accepted } }
    }
}
