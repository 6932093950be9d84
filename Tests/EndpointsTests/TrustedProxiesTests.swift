import HTTP
import HTTPTypes
import Sockets
import Testing

@testable import Endpoints

@Suite("Where a request came from")
struct TrustedProxiesTests {
    /// - Parameter forwarded: The field's values, one for each time that it stands there.
    private func client(
        _ forwarded: [String], peer: String, trusting proxies: Set<String>
    ) throws -> String {
        let trusted = try #require(TrustedProxies(proxies.joined(separator: ", ")))
        var fields = HTTPFields()
        for value in forwarded { fields.append(HTTPField(name: .xForwardedFor, value: value)) }
        let request = try Request(target: "/", headerFields: fields)
        let address = IPAddress(peer).map { ClientAddress.internet($0) } ?? .local
        switch trusted.client(of: request, peer: address) {
        case .local: return ""
        case .internet(let address): return address.description
        }
    }

    @Test("is the peer, whatever it says, unless it is trusted")
    func untrusted() throws {
        for proxies: Set<String> in [[], ["10.0.0.2"], ["198.51.100.7"]] {
            #expect(try client(["198.51.100.7"], peer: "10.0.0.1", trusting: proxies) == "10.0.0.1")
        }
        #expect(try client(["::1"], peer: "", trusting: ["10.0.0.1"]) == "")
    }

    @Test("is what a trusted proxy says")
    func trusted() throws {
        #expect(
            try client(["198.51.100.7"], peer: "10.0.0.1", trusting: ["10.0.0.1"]) == "198.51.100.7"
        )
        #expect(
            try client(["2001:db8::7"], peer: "::1", trusting: ["::1"]) == "2001:db8::7")
        #expect(try client(["198.51.100.7"], peer: "", trusting: ["local"]) == "198.51.100.7")
    }

    @Test("is the last that a trusted proxy heard from, not what a client made up before")
    func spoofed() throws {
        let trusted: Set = ["10.0.0.1"]
        for forwarded in [
            ["203.0.113.9, 198.51.100.7"], ["203.0.113.9,10.0.0.9 , 198.51.100.7 "],
            ["203.0.113.9", "198.51.100.7"], ["10.0.0.1, 198.51.100.7"],
        ] {
            #expect(try client(forwarded, peer: "10.0.0.1", trusting: trusted) == "198.51.100.7")
        }
    }

    @Test("is whom the first of several trusted proxies heard from")
    func several() throws {
        let trusted: Set = ["10.0.0.1", "10.0.0.2", "2001:db8::1"]
        #expect(
            try client(
                ["203.0.113.9, 198.51.100.7, 10.0.0.2, 2001:db8::1"], peer: "10.0.0.1",
                trusting: trusted) == "198.51.100.7")
        #expect(
            try client(
                ["203.0.113.9, 198.51.100.7", "10.0.0.2"], peer: "10.0.0.1", trusting: trusted)
                == "198.51.100.7")
    }

    @Test(
        "is the trusted proxy itself if it names nobody",
        arguments: [
            [], [""], [" , ,"], ["203.0.113.9, "], ["203.0.113.9,"], ["203.0.113.9,,10.0.0.1"],
            ["10.0.0.1"], ["10.0.0.1, 10.0.0.1"], ["x"],
            [String(repeating: "1", count: 46)], [String(repeating: "a", count: 5000)],
        ])
    func nobody(forwarded: [String]) throws {
        #expect(try client(forwarded, peer: "10.0.0.1", trusting: ["10.0.0.1"]) == "10.0.0.1")
    }

    @Test("may be in a network of proxies, and have a port beside it")
    func networks() throws {
        for (forwarded, expected) in [
            ("198.51.100.7", "198.51.100.7"), ("198.51.100.7:5678", "198.51.100.7"),
            ("[2001:db8::7]:5678", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
            ("2001:0DB8:0:0::7", "2001:db8::7"), ("::ffff:198.51.100.7", "198.51.100.7"),
            ("198.51.100.7, 10.200.3.4", "198.51.100.7"),
            ("198.51.100.7, unknown, 10.200.3.4", "10.200.3.4"), ("_hidden", "10.1.2.3"),
        ] {
            #expect(
                try client([forwarded], peer: "10.1.2.3", trusting: ["10.0.0.0/8", "fd00::/8"])
                    == expected, "\(forwarded)")
        }
        #expect(
            try client(["198.51.100.7"], peer: "11.1.2.3", trusting: ["10.0.0.0/8"]) == "11.1.2.3")
    }

    @Test(
        "is asked of addresses and networks only",
        arguments: [
            "proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0", "::1/129", "[::1]",
        ])
    func unusable(text: String) {
        #expect(TrustedProxies(text) == nil)
    }
}
