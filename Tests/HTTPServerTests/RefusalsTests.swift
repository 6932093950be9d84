import TestSupport
import Testing

@testable import HTTPServer

@Suite("A client that errs", .blocking)
struct RefusalsTests {
    @Test(
        "gets the status that fits, as the responder renders it, and the connection closes",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
            ("CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", 501),
            ("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\n", 414),
            ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 40_000))\r\n", 431),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ])
    func badRequests(text: String, status: Int) async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(text + get("/never"))
            let response = try connection.readResponse()
            #expect(response.status == status)
            #expect(response.text == "sorry")
            #expect(response["server"] == "test")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            #expect(fixture.state.calls.count == 0)
            #expect(fixture.state.errors.count == 1)
        }
    }

    @Test("can read the response although it was still sending")
    func stillSending() async throws {
        try await ServerFixture.run { fixture in
            for number in 1...20 {
                let connection = try fixture.connect()
                try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n")
                try await eventually { fixture.state.errors.count == number }
                try connection.send([UInt8](repeating: 0x78, count: 3_000_000))
                let response = try connection.readResponse()
                #expect(response.status == 413)
                #expect(try connection.isClosedByServer())
            }
        }
    }

    @Test("after good requests still gets the responses of these, first")
    func afterGood() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/slow/20") + get("/a") + "bad\r\n\r\n")
            #expect(try connection.readResponse().text == "GET /slow/20")
            #expect(try connection.readResponse().text == "GET /a")
            #expect(try connection.readResponse().status == 400)
            #expect(try connection.isClosedByServer())
        }
    }

    @Test("and never stops sending is cut off by the time that this takes")
    func endless() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("bad\r\n\r\n")
            #expect(try connection.readResponse().status == 400)
            try await fixture.waits(for: .end)
            for _ in 0..<19 {
                try connection.send("more")
                await fixture.advance(by: .milliseconds(100))
            }
            try await fixture.waits(for: .end)
            await fixture.advance(by: .milliseconds(100))
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("and never stops sending is cut off by how much it sends")
    func endlessBytes() async throws {
        try await ServerFixture.run {
            $0.lingerBytes = 1_000_000
        } _: { fixture in
            let connection = try fixture.connect()
            try connection.send("bad\r\n\r\n")
            #expect(try connection.readResponse().status == 400)
            let block = [UInt8](repeating: 0x78, count: 1_000_000)
            // Much more than fits in the kernel's buffers.
            #expect(throws: TestFailure.self) {
                for _ in 0..<100 { try connection.send(block) }
            }
            // The client learns of it a moment before the server counts.
            try await eventually { fixture.server.connectionCount == 0 }
        }
    }
}

@Suite("A client that takes its time", .blocking)
struct TimeoutsTests {
    @Test(
        "over its header gets 408",
        arguments: ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: h\r\n", "\r\n\r"])
    func header(text: String) async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(text)
            try await fixture.waits(for: .header)
            await fixture.advance(by: .milliseconds(9900))
            try await fixture.waits(for: .header)
            await fixture.advance(by: .milliseconds(100))
            let response = try connection.readResponse()
            #expect(response.status == 408)
            #expect(response.text == "sorry")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
        }
    }

    @Test("over a later header, after a response, gets 408 as well")
    func laterHeader() async throws {
        try await ServerFixture.run { fixture in
            for first in [
                get("/a"), get("/slow/20"),
                "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
            ] {
                let connection = try fixture.connect()
                try connection.send(first + "GET /b HT")
                #expect(try connection.readResponse().status == 200)
                try await fixture.waits(for: .header)
                await fixture.advance(by: .seconds(10))
                #expect(try connection.readResponse().status == 408)
            }
        }
    }

    @Test("gets no more of it by sending a byte now and then")
    func trickle() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\nA: ")
            try await fixture.waits(for: .header)
            for _ in 0..<9 {
                await fixture.advance(by: .seconds(1))
                try connection.send("x")
            }
            #expect(fixture.state.errors.count == 0)
            await fixture.advance(by: .seconds(1))
            #expect(fixture.state.errors.elements == ["The request did not arrive in time."])
            #expect(fixture.state.calls.count == 0)
        }
    }

    @Test(
        "over its body gets 408",
        arguments: [
            "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ])
    func body(text: String) async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("POST /echo HTTP/1.1\r\nHost: h\r\n" + text)
            try await fixture.waits(for: .body)
            await fixture.advance(by: .milliseconds(9900))
            #expect(fixture.state.errors.count == 0)
            await fixture.advance(by: .milliseconds(100))
            #expect(try connection.readResponse().status == 408)
            #expect(fixture.state.calls.count == 0)
        }
    }

    @Test("over a long body is not disturbed as long as enough of it arrives all the time")
    func slowBody() async throws {
        try await ServerFixture.run {
            $0.bodyBytesPerTimeout = 1000
        } _: { fixture in
            let connection = try fixture.connect()
            let head = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n"
            try connection.send(head)
            try await fixture.waits(for: .body)
            var sent = head.utf8.count
            func send(_ count: Int) async throws {
                try connection.send([UInt8](repeating: 0x78, count: count))
                sent += count
                try await eventually("the body so far") {
                    await fixture.server.statistics()[0].receivedBytes >= sent
                }
            }
            for _ in 0..<9 {
                try await send(1000)
                await fixture.advance(by: .seconds(10))
            }
            #expect(fixture.state.errors.count == 0)
            try await send(999)
            await fixture.advance(by: .milliseconds(9900))
            #expect(fixture.state.errors.count == 0)
            await fixture.advance(by: .milliseconds(100))
            #expect(try connection.readResponse().status == 408)
        }
    }

    @Test("between requests, or before the first, is disconnected without a word")
    func idle() async throws {
        try await ServerFixture.run { fixture in
            let silent = try fixture.connect()
            try await fixture.waits(for: .firstRequest)
            await fixture.advance(by: .seconds(10))
            #expect(try silent.isClosedByServer())
            let idle = try fixture.connect()
            try idle.send(get("/a"))
            #expect(try idle.readResponse().status == 200)
            try await fixture.waits(for: .request)
            await fixture.advance(by: .milliseconds(59_900))
            try await fixture.waits(for: .request)
            await fixture.advance(by: .milliseconds(100))
            #expect(try idle.isClosedByServer())
            #expect(fixture.state.errors.count == 0)
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("is not disconnected while its request is served, however long that takes")
    func slowHandler() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/gate"))
            try await fixture.waits(for: .response)
            await fixture.advance(by: .seconds(3600))
            fixture.state.openGate()
            #expect(try connection.readResponse().text == "GET /gate")
        }
    }

    @Test("to read what waits for it is disconnected")
    func doesNotRead() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            connection.shrinkReceiveBuffer()
            try connection.send(get("/big/20000000"))
            try await fixture.waits(for: .reader)
            try await eventually {
                await fixture.advance(by: .seconds(60))
                return fixture.server.connectionCount == 0
            }
        }
    }
}
