import COpenSSL
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("A stream through TLS", .blocking)
struct TLSStreamTests {
    /// Runs `body` with a stream and a peer that has done its handshake.
    private static func run<Result>(
        _ options: TLSClient.Options = .init(), inputLimit: Int = 65_536,
        configure: (StreamRecorder) -> Void = { _ in },
        _ body: (StreamFixture) async throws -> Result
    ) async throws -> Result {
        try await StreamFixture.run(
            .tcp, inputLimit: inputLimit, tls: StreamFixture.tlsServer(), configure: configure
        ) { fixture in
            try fixture.peer.startTLS(options)
            return try await body(fixture)
        }
    }

    @Test("delivers bytes and then the end", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func simple(version: Int32) async throws {
        try await Self.run(.init { $0.versions = version...version }) { fixture in
            try fixture.peer.send("hello ")
            try await eventually { fixture.recorder.text == "hello " }
            try await fixture.with { $0.write { $0 += "hi".utf8 } }
            #expect(try fixture.peer.receive() == Array("hi".utf8))
            try fixture.peer.send("world")
            fixture.peer.finishSending()
            try await eventually { fixture.recorder.events.elements == ["end"] }
            #expect(fixture.recorder.text == "hello world")
            #expect(try await fixture.with { $0.hasEnded && $0.isOpen && !$0.hasInput })
        }
    }

    @Test("sends what was written before the handshake after it")
    func earlyWrite() async throws {
        try await StreamFixture.run(.tcp, tls: StreamFixture.tlsServer()) { fixture in
            try await fixture.with { stream in
                stream.write { $0 += "hello".utf8 }
                stream.finishWriting()
            }
            try fixture.peer.startTLS()
            #expect(try fixture.peer.receiveToEnd() == Array("hello".utf8))
            try await eventually { fixture.recorder.events.elements == ["drained"] }
        }
    }

    @Test("holds the peer back at the input limit, and goes on without loss")
    func limit() async throws {
        let isTaking = Recorder<Int>()
        try await Self.run(inputLimit: 1000) { recorder in
            recorder.onReceive = { _, bytes in isTaking.count == 0 ? 0 : bytes.count }
        } _: { fixture in
            // One record: all but its beginning is in libssl, which epoll knows nothing of.
            let record = (0..<16_000).map { UInt8($0 % 251) }
            try fixture.peer.send(record)
            try await eventually { fixture.recorder.largestDelivery == 1000 }
            #expect(fixture.recorder.received.isEmpty)
            isTaking.record(1)
            try await fixture.with { $0.resumeReading() }
            #expect(fixture.recorder.received == record)
            try fixture.peer.send("more")
            try await eventually { fixture.recorder.received.count == record.count + 4 }
            #expect(fixture.recorder.largestDelivery == 1000)
        }
    }

    @Test("takes a flood of small and large pieces in order")
    func flood() async throws {
        try await Self.run { fixture in
            var all: [UInt8] = []
            for round in 0..<300 {
                let piece = (0..<(round * 937 % 40_000)).map { UInt8(($0 + round) % 251) }
                all += piece
                try fixture.peer.send(piece)
            }
            try await eventually { fixture.recorder.received.count == all.count }
            #expect(fixture.recorder.received == all)
        }
    }

    @Test("keeps what the peer does not read yet, while it goes on growing")
    func backPressure() async throws {
        try await Self.run { fixture in
            var pattern = (0..<251).map { UInt8($0) }
            while pattern.count < 16_000_000 { pattern += pattern }
            let all = pattern
            try await fixture.with { stream in stream.write { $0 += all } }
            for _ in 0..<5 { try await onLoop(fixture.loop) {} }
            #expect(try await fixture.with { $0.outputCount } > 0)
            try await fixture.with { stream in stream.write { $0 += all } }
            try await fixture.with { $0.finishWriting() }
            let received = try fixture.peer.receiveToEnd()
            #expect(received == all + all)
            // The other direction still works.
            try fixture.peer.send("thanks")
            try await eventually { fixture.recorder.text == "thanks" }
            #expect(try await fixture.with { $0.isOpen })
        }
    }

    @Test("fails if the connection ends without close_notify")
    func truncated() async throws {
        try await Self.run { fixture in
            try fixture.peer.send("abc")
            try await eventually { fixture.recorder.text == "abc" }
            fixture.peer.close()
            try await eventually { fixture.recorder.events.count == 1 }
            #expect(fixture.recorder.events.elements == ["failed: SSL_read"])
            #expect(try await fixture.with { !$0.isOpen })
        }
    }

    @Test("tells of a reset once, and is closed then")
    func reset() async throws {
        try await Self.run { fixture in
            fixture.peer.reset()
            try await eventually { fixture.recorder.events.count == 1 }
            #expect(fixture.recorder.events.elements == ["failed: SSL_read"])
        }
    }

    @Test("says close_notify when it is closed, unless something is unsent")
    func close() async throws {
        try await Self.run { fixture in
            try await fixture.with { $0.close() }
            #expect(try fixture.peer.receive() == [])
        }
        try await Self.run { fixture in
            try await fixture.with { stream in
                stream.write { $0 += [UInt8](repeating: 7, count: 50_000_000) }
            }
            for _ in 0..<5 { try await onLoop(fixture.loop) {} }
            try await fixture.with { $0.close() }
            #expect(throws: TestFailure.self) { _ = try fixture.peer.receiveToEnd() }
        }
    }

    @Test("may be closed inside a delivery")
    func closeInside() async throws {
        try await Self.run { recorder in
            recorder.onReceive = { stream, bytes in
                stream.close()
                return bytes.count
            }
        } _: { fixture in
            try fixture.peer.send("abc")
            #expect(try fixture.peer.receiveToEnd() == [])
            #expect(try await fixture.with { !$0.isOpen })
        }
    }

    @Test("survives new keys, as often as the peer wants some")
    func keyUpdates() async throws {
        try await Self.run { fixture in
            for round in 0..<2000 {
                try fixture.peer.tls?.updateKeys()
                if round % 100 == 0 { try fixture.peer.send("x") }
            }
            try await eventually { fixture.recorder.received.count == 20 }
            try await fixture.with { $0.write { $0 += "hello".utf8 } }
            #expect(try fixture.peer.receive() == Array("hello".utf8))
        }
    }

    @Test("waits when its half of the handshake is more than the socket takes")
    func largeHandshake() async throws {
        let shared = TestCertificate.shared
        var chain: [UInt8] = []
        for _ in 0..<100 { chain += try shared.certificate }
        let server = try TLSServer([TLSCertificate(chain: chain, key: shared.key)])
        try await StreamFixture.run(.narrow, tls: server) { fixture in
            try fixture.peer.startTLS()
            try fixture.peer.send("hello")
            try await eventually { fixture.recorder.text == "hello" }
        }
    }
}
