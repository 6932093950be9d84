import Endpoints
import HTTP
import HTTPTypes
import Sockets
import Testing

@testable import Web

@Suite("The step that counts requests", .blocking)
struct LimitStepTests {
    private let peer: ClientAddress
    private let other: ClientAddress

    init() throws {
        peer = .internet(try #require(IPAddress("203.0.113.1")))
        other = .internet(try #require(IPAddress("203.0.113.2")))
    }

    /// How many times something can be done before it throws.
    private func times(_ body: () throws -> Void) -> Int {
        var count = 0
        while (try? body()) != nil { count += 1 }
        return count
    }

    @Test("refuses the client that has used up its limit, and no other")
    func charge() async throws {
        try await Services.forPages { services in
            let limits = LimitStep(services)
            func charge(
                _ method: HTTPRequest.Method = .post, from peer: ClientAddress
            ) throws {
                try limits.charge(
                    IncomingRequest(
                        services, method: method, target: "/api/v1/reports", from: peer))
            }
            let allowed = AllowedRequests(RateLimits().writes)
            let count = times { try charge(from: peer) }
            #expect(allowed.contains(count))
            try charge(.options, from: peer)
            try charge(from: other)
            for _ in 0..<2 * RateLimits().writes { try charge(from: .local) }
        }
    }

    @Test(
        "takes a tenth for a cached response, and tells clients of the API what is left",
        arguments: [AddressKind.api, .page])
    func hits(kind: AddressKind) async throws {
        try await Services.forPages { services in
            let limits = LimitStep(services)
            let request = try Request(target: "/any")
            let limit = kind == .api ? RateLimits().reads : RateLimits().pages
            let allowed = AllowedRequests(10 * limit)
            var saysWhatIsLeft: Set<Bool> = []
            let count = times {
                let allowance = limits.allowance(ofHit: kind, .get)
                defer {
                    var response = Response()
                    allowance?.settle(&response)
                    saysWhatIsLeft.insert(response.headerFields[.rateLimit] != nil)
                }
                try limits.chargeHit(request, from: peer, of: kind, allowance)
            }
            #expect(allowed.contains(count))
            #expect(saysWhatIsLeft == [kind == .api])
        }
    }
}
