import Sockets
import Testing

@testable import Endpoints

@Suite("A client's network")
struct ClientNetworkTests {
    private func network(_ host: String) -> String {
        IPAddress(host).map { ClientAddress.internet($0).networkName } ?? ""
    }

    @Test("is an IPv4 address by itself", arguments: ["192.0.2.1", "0.0.0.0", "255.255.255.255"])
    func four(host: String) {
        #expect(network(host) == host)
    }

    @Test(
        "is the first half of an IPv6 address, however that is written",
        arguments: [
            [
                "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1:2::1",
                "2001:0db8:0001:0002::",
                "2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::192.0.2.1",
            ],
            [
                "2001:db8::1", "2001:db8:0:0:1::", "2001:0db8::", "2001:db8:0::9",
                "2001:db8::1:2:3:4",
            ],
            ["fe80::1", "fe80:0:0:0:1:2:3:4"],
            ["1::", "1:0:0:0::", "1:0::0:1"],
        ])
    func six(hosts: [String]) {
        let networks = Set(hosts.map(network))
        #expect(networks.count == 1, "\(networks)")
        #expect(networks.first?.hasSuffix("/64") == true)
    }

    @Test("is another for other networks")
    func others() {
        let networks = [
            "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2:2::1", "2001:db9:1:2::1",
            "2001:db8::1", "::1", "fe80::1", "192.0.2.1", "192.0.2.2",
        ].map(network)
        #expect(Set(networks).count == networks.count)
    }

    @Test(
        "is the IPv4 address that came in by an IPv6 socket",
        arguments: [
            "::ffff:192.0.2.1", "::FFFF:192.0.2.1", "0:0:0:0:0:ffff:192.0.2.1", "::ffff:c000:201",
        ])
    func mapped(host: String) {
        #expect(network(host) == "192.0.2.1")
    }

    @Test("is not known of one that comes by a unix-domain socket")
    func local() {
        #expect(ClientAddress.local.network == nil)
        #expect(ClientAddress.local.networkName.isEmpty)
    }
}
