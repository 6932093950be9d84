import Glibc
import HTTPServer
import Sockets

/// The sockets that the server listens on.
struct Listeners {
    let site: [ListeningSocket]
    /// `nil` if there is no port for monitors.
    let monitors: [ListeningSocket]?

    /// - Throws: `OperatorError` if an address can't be listened on.
    init(_ settings: ServerSettings, _ manager: ServiceManager) throws {
        let inherited = try manager.inheritedSockets()
        site = inherited.isEmpty ? try Self.listen(settings.host, settings.port) : inherited
        monitors = try settings.adminAddress.map { address in
            let setting = Settings.monitoring.listen
            return try Self.listen(on: Self.addresses(setting, address.resolve), setting)
        }
    }

    /// Listens on all addresses of a host, or on a unix-domain socket.
    private static func listen(_ host: String, _ port: Int) throws -> [ListeningSocket] {
        let settings = Settings.service
        guard !host.hasPrefix("unix:") else {
            let path = String(host.dropFirst("unix:".count))
            return try listen(
                on: addresses(settings.host) { () throws(AddressError) in [try .unix(path: path)] },
                settings.host)
        }
        let addresses = try addresses(settings.host) { () throws(AddressError) in
            try SocketAddress.resolve(host: host, port: port)
        }
        return try listen(on: addresses, settings.port, host: settings.host)
    }

    /// - Parameter setting: Where to choose another address.
    private static func addresses(
        _ setting: any AnySetting, _ find: () throws(AddressError) -> [SocketAddress]
    ) throws(OperatorError) -> [SocketAddress] {
        do throws(AddressError) {
            return try find()
        } catch {
            throw OperatorError("\(error) Change \(setting.name).")
        }
    }

    /// - Parameters:
    ///   - setting: Where to choose another address, or another port of it, which errors name.
    ///   - host: Where to choose the host, if that is another setting.
    private static func listen(
        on addresses: [SocketAddress], _ setting: any AnySetting, host: (any AnySetting)? = nil
    ) throws -> [ListeningSocket] {
        try addresses.map { address in
            do throws(SystemError) {
                return try ListeningSocket(address)
            } catch {
                if let path = address.path, let obstacle = SocketFileObstacle(error, path: path) {
                    throw OperatorError(
                        "Cannot listen on \(address): \(obstacle). Change \(setting.name).")
                }
                switch error.code {
                case EADDRINUSE:
                    throw OperatorError(
                        """
                        \(address) is in use: another program listens there. Stop it, or change \
                        \(setting.name).
                        """)
                case EACCES:
                    throw OperatorError(
                        "This user may not listen on \(address). Change \(setting.name).")
                case EADDRNOTAVAIL:
                    throw OperatorError(
                        """
                        \(address) is not an address of this machine. Change \
                        \((host ?? setting).name).
                        """)
                default: throw OperatorError("Cannot listen on \(address): \(error).")
                }
            }
        }
    }
}
