/// Where a connection comes from, or, behind a trusted proxy, a request.
public enum ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// By a unix-domain socket, from this machine.
    case local
    case internet(IPAddress)

    public var description: String {
        switch self {
        case .local: "local"
        case .internet(let address): address.description
        }
    }
}
