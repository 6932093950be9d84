import Sockets
import Testing

@testable import HTTPServer

@Suite("Requests that wait for a body")
struct BodySharesTests {
    @Test("are as many as a limit allows, of which one client gets a quarter")
    func share() throws {
        var bodies = BodyShares(limit: 8)
        func refusal(_ owner: IPNetwork?) -> ConnectionError.Reason? { bodies.refusal(of: owner) }
        let networks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map {
            try #require(IPNetwork($0))
        }
        for network in networks {
            #expect(refusal(network) == nil)
            #expect(refusal(network) == nil)
            #expect(refusal(network) == .tooManyConnectionsOfOne)
        }
        #expect(refusal(nil) == nil)
        #expect(refusal(nil) == nil)
        #expect(refusal(nil) == .overloaded)
        bodies.remove(of: networks[0])
        #expect(refusal(networks[1]) == .tooManyConnectionsOfOne)
        #expect(refusal(networks[0]) == nil)
    }

    @Test("are at most half of them of one /48, however many of its networks it uses")
    func wideNetwork() throws {
        var bodies = BodyShares(limit: 8)
        func refusal(_ owner: IPNetwork?) -> ConnectionError.Reason? { bodies.refusal(of: owner) }
        let sites = try (0..<3).map { try #require(IPNetwork("2001:db8:1:\($0)00::/56")) }
        for site in sites.prefix(2) {
            #expect(refusal(site) == nil)
            #expect(refusal(site) == nil)
            #expect(refusal(site) == .tooManyConnectionsOfOne)
        }
        #expect(refusal(sites[2]) == .tooManyConnectionsOfOne)
        #expect(refusal(IPNetwork("2001:db8:2::/56")) == nil)
        bodies.remove(of: sites[0])
        #expect(refusal(sites[2]) == nil)
    }
}

extension BodyShares {
    /// Adds a request.
    ///
    /// - Returns: Why there is no room for it, if there is none.
    fileprivate mutating func refusal(of owner: IPNetwork?) -> ConnectionError.Reason? {
        do throws(ConnectionError) {
            try add(of: owner)
            return nil
        } catch {
            return error.reason
        }
    }
}
