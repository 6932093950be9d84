import Sockets

/// Where the admin listener listens: a unix-domain socket, or an address with a port. There is no
/// sign-in.
enum AdminAddress: Hashable, Sendable {
    case unix(path: String)
    case internet(host: String, port: Int)

    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self = .unix(path: String(text.dropFirst("unix:".count)))
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard host == "localhost" || IPAddress(host) != nil else { return nil }
        self = .internet(host: host, port: port)
    }

    var isLoopback: Bool {
        guard case .internet(let host, _) = self else { return false }
        return host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// What an operator should know who has chosen this address; `nil` if nothing.
    var warning: String? {
        guard case .internet = self, !isLoopback else { return nil }
        return """
            everyone who can reach \(self) can read the metrics (ADMIN_LISTEN): make sure that this is \
            a private network
            """
    }

    func resolve() throws(AddressError) -> [SocketAddress] {
        switch self {
        case .unix(let path): [try SocketAddress.unix(path: path)]
        case .internet(let host, let port): try SocketAddress.resolve(host: host, port: port)
        }
    }
}

extension AdminAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .internet(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
