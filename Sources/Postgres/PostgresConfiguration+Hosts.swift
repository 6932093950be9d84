extension PostgresConfiguration {
    /// One configuration for each host of the connection string, in its order, named after the
    /// host. This includes the hosts in libpq's environment variables. A configuration without
    /// hosts is returned unchanged.
    ///
    /// - Throws: `badConfiguration` if libpq can't read the connection string.
    public func eachHost() throws(PostgresError) -> [PostgresConfiguration] {
        let parameters = try ConnectionParameters(connectionString)
        guard let hosts = parameters.hosts else { return [self] }
        return hosts.map { host in
            var configuration = self
            configuration.connectionString = parameters.replacingHosts(by: [host]).connectionString
            let name = host.name.isEmpty ? host.address : host.name
            configuration.serverName = host.port.isEmpty ? name : "\(name):\(host.port)"
            return configuration
        }
    }
}
