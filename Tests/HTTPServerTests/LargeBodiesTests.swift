import Sockets
import Testing

@testable import HTTPServer

@Suite("Large bodies")
struct LargeBodiesTests {
    @Test("are held up to a limit, of which one client gets a quarter")
    func share() throws {
        var bodies = LargeBodies(limit: 8)
        let networks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map {
            let address = try #require(IPAddress($0))
            return IPNetwork(of: address, prefixLength: address.bitCount)
        }
        func add(_ owner: IPNetwork?) -> Bool { bodies.add(of: owner) }
        for network in networks {
            #expect(add(network))
            #expect(add(network))
            #expect(!add(network), "a third one of the same client")
        }
        #expect(add(nil))
        #expect(add(nil))
        #expect(!add(nil), "there are eight")
        bodies.remove(of: networks[0])
        #expect(!add(networks[1]))
        #expect(add(networks[0]))
    }
}
