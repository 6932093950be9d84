/// Where a connection comes from or, behind a trusted proxy, where a request comes from.
public enum ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// This machine, through a unix-domain socket.
    case local
    case internet(IPAddress)

    public var description: String {
        switch self {
        case .local: "local"
        case .internet(let address): address.description
        }
    }
}
