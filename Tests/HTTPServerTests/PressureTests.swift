import Sockets
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Under pressure, a server", .blocking)
struct PressureTests {
    @Test("takes no more requests from a client that does not read, and serves the others")
    func doesNotRead() async throws {
        try await ServerFixture.run { fixture in
            let lazy = try fixture.connect()
            lazy.shrinkReceiveBuffer(to: 262_144)
            // 50 MB, if the server were to serve all of it.
            try lazy.send((0..<50).map { _ in get("/big/1000000") }.joined())
            try await fixture.waits(for: .reader)
            for _ in 0..<20 {
                let response = try fixture.exchange(get("/a"))
                #expect(response.status == 200)
            }
            let unsent = await fixture.server.statistics()[0].unsentBytes
            #expect(unsent < 1_100_000)
            #expect(fixture.state.calls.elements.count { $0.hasPrefix("GET /big") } < 50)
            // Nothing is lost once it reads.
            for _ in 0..<50 {
                let count = try lazy.readResponse().bytes.count
                #expect(count == 1_000_000)
            }
        }
    }

    @Test("serves small requests of one that never reads only up to a bound")
    func manySmall() async throws {
        try await ServerFixture.run { fixture in
            let lazy = try fixture.connect()
            lazy.shrinkReceiveBuffer()
            let block = Array((0..<500).map { _ in get("/big/10000") }.joined().utf8)
            // The kernel's buffers and the server's fill until neither side takes any more.
            var sent = 0
            try await eventually("back pressure") {
                let isUnread = try await fixture.count(of: .reader) == 1
                let count = try lazy.sendAvailable(block[(sent % block.count)...])
                sent += count
                return isUnread && count == 0
            }
            let unsent = await fixture.server.statistics()[0].unsentBytes
            #expect((1..<100_000).contains(unsent))
            #expect(fixture.state.calls.count < sent / (block.count / 500))
            #expect(try fixture.exchange(get("/a")).status == 200)
        }
    }

    @Test("gives all the responses to a client that ends its side after sending")
    func halfClose() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/slow/30"))
            connection.finishSending()
            #expect(try connection.readResponse().text == "GET /slow/30")
            #expect(try connection.isClosedByServer())
        }
    }

    @Test("gives all the responses to a client that sends many requests and ends its side")
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

    @Test("gives all the responses to a client that ends its side while it reads the first ones")
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

    @Test("outlives clients that vanish while their requests are served")
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

    @Test(
        "tells a client that sends much why it is refused, however many others it has refused",
        arguments: [503, 429])
    func manyRefused(status: Int) async throws {
        try await ServerFixture.run(loops: 2) {
            $0.maximumConnections = status == 503 ? 1 : 8
            $0.connectionsPerAddress = 1
            if status == 503 { $0.owner = { _ in nil } }
        } _: { fixture in
            let busy = try fixture.connect()
            try busy.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            // They neither read nor close.
            let idle = try (0..<40).map { _ in try fixture.connect() }
            try await eventually { fixture.state.errors.count == 40 }
            // Only some of them are still connected: at most four of each loop.
            #expect((4...8).contains(try await fixture.count(of: .refusedEnd)))
            for number in 41...60 {
                let next = try fixture.connect()
                // It is sent the response before it has sent anything.
                try await eventually { fixture.state.errors.count == number }
                try next.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n")
                try next.send([UInt8](repeating: 0x78, count: 3_000_000))
                let response = try next.readResponse()
                #expect(response.status == status)
                #expect(response.text == "sorry")
                #expect(try next.isClosedByServer())
            }
            #expect(fixture.server.connectionCount == 1)
            // The others were told, too.
            for connection in idle {
                #expect(try connection.readResponse().status == status)
                #expect(try connection.isClosedByServer())
            }
            await fixture.advance(by: .seconds(2))
            try await fixture.waits(0, for: .refusedEnd)
            fixture.state.openGate()
            #expect(try busy.readResponse().status == 200)
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
            try await fixture.waits(4, for: .firstRequest)
            for connection in [first, last] {
                await fixture.advance(by: .milliseconds(10))
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

    @Test("serves so many requests at once, and the others in the order in which they came")
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
        } _: { fixture in
            let busy = try fixture.connect()
            try busy.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            let waiting = try fixture.connect()
            try waiting.send(get("/a"))
            try await fixture.waits(for: .turn)
            await fixture.advance(by: .milliseconds(9900))
            try await fixture.waits(for: .turn)
            await fixture.advance(by: .milliseconds(100))
            #expect(try waiting.readResponse().status == 503)
            // That doesn't end the other one's response.
            fixture.state.openGate()
            #expect(try busy.readResponse().status == 200)
            #expect(fixture.state.calls.count == 1)
        }
    }

    @Test("serves others while one sends without end")
    func flood() async throws {
        try await ServerFixture.run {
            $0.lingerBytes = .max
        } _: { fixture in
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
            try await fixture.waits(for: .end)
            // It is closed in the end, though it never stops.
            await fixture.advance(by: .seconds(2))
            #expect(fixture.server.connectionCount == 0)
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

    @Test("is full at the limit, until one goes")
    func limits() {
        let balance = ConnectionBalance(loops: 2, limit: 3, limitPerOwner: 1000)
        let decisions = (0..<5).map { _ in balance.add(preferring: 0, of: owner) }
        #expect(decisions == [.serve(0), .serve(1), .serve(0), .full, .full])
        #expect(balance.total == 3)
        balance.remove(from: 1, of: owner)
        #expect(balance.add(preferring: 0, of: owner) == .serve(1))
    }

    @Test("refuses one owner's past its share, until one goes")
    func share() {
        let balance = ConnectionBalance(loops: 1, limit: 100, limitPerOwner: 2)
        let mine = (0..<4).map { _ in balance.add(preferring: 0, of: owner) }
        #expect(mine == [.serve(0), .serve(0), .ownerIsFull, .ownerIsFull])
        #expect(balance.add(preferring: 0, of: other) == .serve(0))
        for _ in 0..<5 { #expect(balance.add(preferring: 0, of: nil) == .serve(0)) }
        balance.remove(from: 0, of: owner)
        #expect(balance.add(preferring: 0, of: owner) == .serve(0))
    }

    @Test(
        "leaves descriptors for clients that are refused, at least one for each loop",
        arguments: [(1, 2, 9), (200, 2, 225), (200, 32, 232), (10_000, 4, 10_256)])
    func descriptors(connections: Int, loops: Int, descriptors: Int) {
        #expect(
            HTTPServer.descriptors(maximumConnections: connections, loops: loops) == descriptors)
        let possible = HTTPServer.maximumConnections(descriptors: descriptors, loops: loops)
        #expect(
            HTTPServer.descriptors(maximumConnections: possible, loops: loops) <= descriptors)
    }
}
