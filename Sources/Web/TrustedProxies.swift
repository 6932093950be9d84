import HTTP
import HTTPServer
import HTTPTypes

extension WebSettings {
    /// Where a request came from: the peer, unless that is a proxy we trust, which says for whom it
    /// asks in X-Forwarded-For. Every proxy appends whom it heard from, so that the last address
    /// that is not a trusted proxy's own is the first one that nobody could make up.
    func client(_ request: Request, peer: ClientAddress) -> ClientAddress {
        guard trustedProxies.contains(peer.description) else { return peer }
        let list = request.headerFields[values: .xForwardedFor].joined(separator: ",")
        let addresses = list.split(separator: ",").map { String($0.filter { $0 != " " }) }
        let client = addresses.last { !trustedProxies.contains($0) }
        // An address has at most 45 characters, as in RFC 4291 section 2.5.5.2.
        guard let client, (2...45).contains(client.utf8.count) else { return peer }
        return ClientAddress(host: client)
    }
}
