import Outbox

/// The address of a webhook is what a plain reading finds: a scheme, a host without a user, and a port at
/// which no other service listens.
enum WebhookProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        guard let address = WebhookAddress(text) else { return }
        let bytes = Array(text.utf8)
        require(bytes.count <= WebhookAddress.limit, "it is too long")
        require(bytes.allSatisfy { (0x21...0x7E).contains($0) }, "it is not visible")
        require(address.description == text, "it was changed")
        let scheme = address.isEncrypted ? "https://" : "http://"
        require(bytes.starts(with: scheme.utf8), "it has another scheme")
        let authority = bytes.dropFirst(scheme.utf8.count).prefix { !"/?#\\".utf8.contains($0) }
        require(!authority.contains(UInt8(ascii: "@")), "it has a user")
        var host = String(decoding: authority, as: UTF8.self).lowercased()
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            let port = Int(host[colon...].dropFirst()) ?? 0
            require(
                port == 80 || port == 443 || (1024...65_535).contains(port), "the port is \(port)")
            host = String(host[..<colon])
        }
        if host.hasPrefix("[") { host = String(host.dropFirst().dropLast()) }
        require(host == address.host, "the host is \(host), not \(address.host)")
        require(!host.isEmpty, "it has no host")
    }
}
