/// The origin of a connection or, behind a trusted proxy, of a request.
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
