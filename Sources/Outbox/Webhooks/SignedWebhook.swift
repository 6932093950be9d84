import Encodings
public import Foundation
import HTTP
public import HTTPClient
import HTTPTypes

/// One attempt to deliver a message, as Standard Webhooks 1.0.0 describes it.
public struct SignedWebhook: Sendable {
    let address: WebhookAddress
    /// The same at each attempt, so that the receiver notices repetitions.
    let id: UUID
    private let time: Int
    private let signature: String
    let body: [UInt8]
    /// The networks that it may be sent to.
    let networks: WebhookNetworks

    public init(
        to address: WebhookAddress, id: UUID, body: [UInt8], secret: WebhookSecret,
        networks: WebhookNetworks
    ) {
        self.address = address
        self.id = id
        self.body = body
        self.networks = networks
        time = Int(Date().timeIntervalSince1970)
        signature = secret.signature(id: id.text, time: time, body: body)
    }

    /// The most bytes of a response that are read.
    private static let responseLimit = 4096

    public var request: ClientRequest {
        var fields: HTTPFields = [.contentType: "application/json"]
        for (name, value) in [
            ("webhook-id", id.text), ("webhook-timestamp", String(time)),
            ("webhook-signature", signature),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        var request = ClientRequest(
            .post, address.description, headerFields: fields, body: body, timeout: .seconds(15),
            maximumResponseBytes: Self.responseLimit)
        request.cutsResponse = true
        request.mayConnect = { [networks] in networks.admit($0) }
        return request
    }
}
