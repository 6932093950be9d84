import Sockets

/// Where the admin listener listens: a unix-domain socket, or a loopback address with a port. What
/// it tells is for operators only, and there is no sign-in.
enum AdminAddress: Hashable, Sendable {
    case unix(path: String)
    case loopback(host: String, port: Int)

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
        guard host == "localhost" || IPAddress(host)?.isLoopback == true else {
            return nil
        }
        self = .loopback(host: host, port: port)
    }

    func resolve() throws(AddressError) -> [SocketAddress] {
        switch self {
        case .unix(let path): [try SocketAddress.unix(path: path)]
        case .loopback(let host, let port): try SocketAddress.resolve(host: host, port: port)
        }
    }
}
