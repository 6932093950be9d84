import Glibc
import Sockets
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Under pressure, a server", .blocking, .timeLimit(.minutes(5)))
struct PressureTests {
    @Test("takes no more requests from a client that does not read, and serves the others")
    func doesNotRead() async throws {
        try await ServerFixture.run { fixture in
            let lazy = try fixture.connect()
            // 50 MB, if the server were to answer all of it.
            try lazy.send((0..<50).map { _ in get("/big/1000000") }.joined())
            try await eventually { fixture.state.calls.count > 0 }
            for _ in 0..<20 {
                let response = try fixture.exchange(get("/a"))
                #expect(response.status == 200)
                usleep(5000)
            }
            let answered = fixture.state.calls.elements.count { $0.hasPrefix("GET /big") }
            // The kernel takes 4 MB or so before the first response waits.
            #expect(answered < 12)
            // Nothing is lost once it reads.
            for _ in 0..<50 {
                let count = try lazy.readResponse().bytes.count
                #expect(count == 1_000_000)
            }
        }
    }

    @Test("answers small requests of one that never reads only up to a bound")
    func manySmall() async throws {
        try await ServerFixture.run { fixture in
            let lazy = try RawConnection(port: fixture.port, timeout: 1)
            lazy.shrinkReceiveBuffer()
            let block = Array((0..<500).map { _ in get("/big/10000") }.joined().utf8)
            // The kernel's buffers and the server's fill until this waits in vain.
            #expect(throws: TestFailure.self) {
                for _ in 0..<4000 { try lazy.send(block) }
            }
            let answered = fixture.state.calls.count
            #expect(answered < 5000)
            #expect(try fixture.exchange(get("/a")).status == 200)
            #expect(fixture.state.calls.count <= answered + 10)
        }
    }

    @Test("gives all the answers to a client that ends its side after sending")
    func halfClose() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/slow/30"))
            connection.finishSending()
            #expect(try connection.readResponse().text == "GET /slow/30")
            #expect(try connection.isClosedByServer())
        }
    }

    @Test("gives all the answers to a client that sends many requests and ends its side")
    func halfClosePipelined() async throws {
        try await ServerFixture.run { fixture in
            for target in ["/a", "/slow/5", "/big/300000"] {
                let connection = try fixture.connect()
                try connection.send((0..<20).map { _ in get(target) }.joined())
                connection.finishSending()
                for number in 0..<20 {
                    let response = try connection.readResponse()
                    #expect(response.status == 200)
                    // The last one says so only if the end of the stream had come by then.
                    if number < 19 { #expect(response["connection"] == nil) }
                }
                #expect(try connection.isClosedByServer())
            }
            try await eventually { fixture.server.connectionCount == 0 }
        }
    }

    @Test("gives all the answers to a client that ends its side while it reads the first ones")
    func halfCloseWhileReading() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            // More than the kernel takes: the requests behind it wait in the server.
            try connection.send(get("/big/20000000") + (0..<10).map { _ in get("/a") }.joined())
            try await eventually { fixture.state.calls.count == 1 }
            var count = try connection.readResponse().bytes.count
            connection.finishSending()
            for _ in 0..<10 { count += try connection.readResponse().bytes.count }
            #expect(count == 20_000_000 + 10 * "GET /a".utf8.count)
            #expect(try connection.isClosedByServer())
        }
    }

    @Test("closes when a client ends its side in the middle of a request")
    func halfRequest() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/a") + "GET /b HTTP")
            connection.finishSending()
            #expect(try connection.readResponse().text == "GET /a")
            #expect(try connection.isClosedByServer())
            #expect(fixture.state.calls.count == 1)
            try await eventually { fixture.server.connectionCount == 0 }
        }
    }

    @Test("outlives clients that vanish while their requests are answered")
    func vanish() async throws {
        try await ServerFixture.run { fixture in
            for number in 0..<30 {
                let connection = try fixture.connect()
                try connection.send(get("/gate") + (number % 2 == 0 ? get("/more") : ""))
            }
            try await eventually { fixture.state.calls.count == 30 }
            fixture.state.openGate()
            try await eventually { fixture.server.connectionCount == 0 }
            #expect(try fixture.exchange(get("/a")).status == 200)
        }
    }

    @Test("tells clients past the bound at once that it is full if none idles, and recovers")
    func connectionBound() async throws {
        try await ServerFixture.run(loops: 2) {
            $0.maximumConnections = 4
        } _: { fixture in
            var served = try (0..<4).map { _ in try fixture.connect() }
            for connection in served { try connection.send(get("/gate")) }
            try await eventually { fixture.state.calls.count == 4 }
            for _ in 0..<5 {
                // Told without having sent anything.
                let refused = try fixture.connect()
                let response = try refused.readResponse()
                #expect(response.status == 503)
                #expect(response["connection"] == "close")
                #expect(try refused.isClosedByServer())
            }
            fixture.state.openGate()
            for connection in served { #expect(try connection.readResponse().status == 200) }
            served.removeAll()
            try await eventually { fixture.server.connectionCount == 0 }
            #expect(try fixture.exchange(get("/a")).status == 200)
        }
    }

    @Test("closes the connection that has idled longest when it is full")
    func longestIdle() async throws {
        try await ServerFixture.run {
            $0.maximumConnections = 4
        } _: { fixture in
            let first = try fixture.connect()
            let busy = try fixture.connect()
            let silent = try fixture.connect()
            let last = try fixture.connect()
            for connection in [first, last] {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            try busy.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 3 }
            // The silent one has waited longest, then the first and the last; the busy one never
            // goes.
            for gone in [silent, first, last] {
                let next = try fixture.connect()
                try next.send(get("/gate"))
                #expect(try gone.isClosedByServer())
            }
            try await eventually { fixture.state.calls.count == 6 }
            #expect(try fixture.connect().readResponse().status == 503)
            fixture.state.openGate()
            #expect(try busy.readResponse().text == "GET /gate")
        }
    }

    @Test("tells an address that has its share of connections, but not those that may have more")
    func share() async throws {
        try await ServerFixture.run {
            $0.connectionsPerAddress = 2
        } _: { fixture in
            var mine = try (0..<2).map { _ in try fixture.connect() }
            for connection in mine {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            let refused = try fixture.connect()
            #expect(try refused.readResponse().status == 429)
            #expect(try refused.isClosedByServer())
            mine.removeLast()
            try await eventually { fixture.server.connectionCount == 1 }
            #expect(try fixture.exchange(get("/a")).status == 200)
        }
        try await ServerFixture.run {
            $0.connectionsPerAddress = 1
            $0.owner = { _ in nil }
        } _: { fixture in
            let connections = try (0..<5).map { _ in try fixture.connect() }
            for connection in connections {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
        }
    }

    @Test("lets go of those that read nothing when they keep too much waiting all together")
    func unsentBytes() async throws {
        try await ServerFixture.run {
            $0.maximumUnsentBytes = 20_000_000
        } _: { fixture in
            let lazy = try (0..<6).map { _ in try fixture.connect() }
            for (number, connection) in lazy.enumerated() {
                try connection.send(get("/big/12000000"))
                try await eventually { fixture.state.calls.count == number + 1 }
            }
            // Some of them are gone; the last of all may go on.
            try await eventually { fixture.server.connectionCount <= 3 }
            let count = try lazy[5].readResponse().bytes.count
            #expect(count == 12_000_000)
            #expect(fixture.server.connectionCount >= 1)
        }
    }

    @Test("answers so many requests at once, and the others in the order in which they came")
    func requestsAtOnce() async throws {
        try await ServerFixture.run {
            $0.requestsAtOnce = 2
        } _: { fixture in
            let clients = try (0..<5).map { number in
                let connection = try fixture.connect()
                try connection.send(get(number < 2 ? "/gate" : "/\(number)"))
                return connection
            }
            // One of those that wait has gone by the time that it would be its turn.
            var gone: RawConnection? = try fixture.connect()
            try gone?.send(get("/gone"))
            gone?.resetWhenClosed()
            try await eventually {
                fixture.state.calls.count == 2 && fixture.server.connectionCount == 6
            }
            gone = nil
            try await eventually { fixture.server.connectionCount == 5 }
            #expect(fixture.state.calls.count == 2)
            fixture.state.openGate()
            for connection in clients { #expect(try connection.readResponse().status == 200) }
            #expect(
                Set(fixture.state.calls.elements.dropFirst(2)) == ["GET /2", "GET /3", "GET /4"])
        }
    }

    @Test("tells a client whose request has waited too long for its turn")
    func queueTimeout() async throws {
        try await ServerFixture.run {
            $0.requestsAtOnce = 1
            $0.queueTimeout = .zero
        } _: { fixture in
            let busy = try fixture.connect()
            try busy.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            let waiting = try fixture.connect()
            try waiting.send(get("/a"))
            // It waits, and does not end the other one's answer.
            try await eventually { fixture.server.connectionCount == 2 }
            usleep(50_000)
            fixture.state.openGate()
            #expect(try busy.readResponse().status == 200)
            #expect(try waiting.readResponse().status == 503)
            #expect(fixture.state.calls.count == 1)
        }
    }

    @Test("serves others while one sends without end")
    func flood() async throws {
        try await ServerFixture.run { fixture in
            let isOver = Recorder<Int>()
            let flood = try fixture.connect()
            // Refused, and then read and thrown away.
            try flood.send("BAD\r\n\r\n")
            let sender = Task.detached {
                let block = Array(repeating: UInt8(0x41), count: 1_000_000)
                while isOver.count == 0 {
                    do { try flood.send(block) } catch { return }
                }
            }
            for _ in 0..<50 { #expect(try fixture.exchange(get("/a")).status == 200) }
            // It is closed in the end, though it never stops.
            try await eventually { fixture.server.connectionCount == 0 }
            isOver.record(1)
            await sender.value
        }
    }

    @Test("spreads its connections evenly over its loops")
    func spread() async throws {
        try await ServerFixture.run(loops: 3) { fixture in
            let connections = try (0..<30).map { _ in try fixture.connect() }
            var loops: [String: Int] = [:]
            for connection in connections {
                try connection.send(get("/loop"))
                loops[try connection.readResponse().text, default: 0] += 1
            }
            #expect(loops == ["0 true": 10, "1 true": 10, "2 true": 10])
        }
    }
}

@Suite("The balance of connections", .blocking)
struct ConnectionBalanceTests {
    private let owner = IPNetwork("192.0.2.1")
    private let other = IPNetwork("192.0.2.2")

    @Test("keeps a connection where it came unless another loop has fewer")
    func preference() {
        let balance = ConnectionBalance(loops: 3, limit: 100, limitPerOwner: 100)
        let places = [2, 2, 2, 2].map { balance.add(preferring: $0, of: owner) }
        #expect(places == [.serve(2), .serve(0), .serve(1), .serve(2)])
        balance.remove(from: 1, of: owner)
        #expect(balance.add(preferring: 0, of: owner) == .serve(1))
        #expect(balance.total == 4)
    }

    @Test("squeezes past the limit, and drops far past it")
    func limits() {
        let balance = ConnectionBalance(loops: 1, limit: 200, limitPerOwner: 1000)
        let decisions = (0..<300).map { _ in balance.add(preferring: 0, of: owner) }
        let expected: [ConnectionBalance.Decision] =
            Array(repeating: .serve(0), count: 200) + Array(repeating: .squeeze(0), count: 25)
            + Array(repeating: .drop, count: 75)
        #expect(decisions == expected)
        #expect(balance.total == ConnectionBalance.descriptors(limit: 200))
    }

    @Test("refuses one owner's past its share, until one goes")
    func share() {
        let balance = ConnectionBalance(loops: 1, limit: 100, limitPerOwner: 2)
        let mine = (0..<3).map { _ in balance.add(preferring: 0, of: owner) }
        #expect(mine == [.serve(0), .serve(0), .refuse(0)])
        // Those that are being told take places, too.
        #expect(balance.add(preferring: 0, of: owner) == .drop)
        #expect(balance.add(preferring: 0, of: other) == .serve(0))
        for _ in 0..<5 { #expect(balance.add(preferring: 0, of: nil) == .serve(0)) }
        for _ in 0..<2 { balance.remove(from: 0, of: owner) }
        #expect(balance.add(preferring: 0, of: owner) == .serve(0))
    }
}
