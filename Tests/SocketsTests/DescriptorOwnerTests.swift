import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("The owner of a descriptor", .blocking)
struct DescriptorOwnerTests {
    @Test("closes it when it ends")
    func end() throws {
        let (peer, number) = try Peer.pair()
        do {
            let descriptor = Descriptor(number)
            #expect(descriptor.send(Array("a".utf8).span, Span()) == 1)
        }
        #expect(try peer.receiveToEnd() == Array("a".utf8))
    }

    @Test("leaves it open once it has handed it over")
    func handOver() throws {
        let (peer, number) = try Peer.pair()
        let taken = Descriptor(number).take()
        #expect(taken == number)
        let successor = Descriptor(taken)
        #expect(successor.send(Array("a".utf8).span, Array("bc".utf8).span) == 3)
        #expect(try peer.receive(exactly: 3) == Array("abc".utf8))
    }

    @Test("closes it if no stream can be made of it")
    func failure() async throws {
        try await withLoop { loop in
            let (peer, number) = try Peer.pair()
            try await onLoop(loop) {
                // A descriptor can be registered only once; epoll_ctl(2).
                let registration = try loop.register(
                    number, for: .readable, trigger: .edge, handler: ClosureHandler { _ in })
                #expect(throws: SystemError(call: "epoll_ctl", code: EEXIST)) {
                    _ = try ByteStream(
                        AcceptedSocket(descriptor: number), on: loop, inputLimit: 1)
                }
                loop.cancel(registration)
            }
            #expect(try peer.receive().isEmpty)
        }
    }
}
