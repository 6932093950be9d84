import Foundation
import HTTP
import HTTPTypes
import Logging
import Testing

@testable import Endpoints

@Suite("The number of a request")
struct RequestIDTests {
    private static let proxyID = "0190163D-8694-739B-AEA5-966C26F8AD91"

    private static func request(_ value: String) throws -> Request {
        try Request(target: "/", headerFields: [.xRequestID: value])
    }

    @Test("is a proxy's own, if that is believed, as it writes it")
    func given() throws {
        let request = try Self.request(Self.proxyID)
        let id = RequestID(of: request, isTrusted: true)
        #expect(id.text == Self.proxyID)
        #expect(id.urn == "urn:uuid:\(Self.proxyID.lowercased())")
        #expect(RequestID(of: request, isTrusted: false).text != Self.proxyID)
    }

    @Test("may be given without hyphens")
    func digits() throws {
        let digits = Self.proxyID.replacing("-", with: "")
        let id = RequestID(of: try Self.request(digits), isTrusted: true)
        #expect(id.text == digits)
        #expect(id.urn == "urn:uuid:\(Self.proxyID.lowercased())")
    }

    @Test(
        "is made here instead of what is none",
        arguments: [
            "", "1", proxyID + "0", "x" + proxyID.dropFirst(), proxyID.replacing("-", with: " "),
            "{" + proxyID.dropFirst().dropLast() + "}", String(repeating: "ä", count: 16),
            String(repeating: "1", count: 33),
        ])
    func malformed(value: String) throws {
        let id = RequestID(of: try Self.request(value), isTrusted: true)
        #expect(id.text != value)
        #expect(UUID(uuidString: id.text) != nil)
        #expect(id.urn == "urn:uuid:\(id.text)")
    }

    @Test("stands in the lines of the log")
    func log() throws {
        let id = RequestID(of: try Self.request(Self.proxyID), isTrusted: true)
        let logger = id.naming(Logger(label: "test"))
        #expect(logger[metadataKey: "request"] == "\(Self.proxyID)")
    }
}
