import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Under pressure, a server", .timeLimit(.minutes(5)))
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

    @Test("tells clients past the bound at once that it is full, and recovers")
    func connectionBound() async throws {
        try await ServerFixture.run(loops: 2) {
            $0.maximumConnections = 4
        } _: { fixture in
            var served = try (0..<4).map { _ in try fixture.connect() }
            for connection in served {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            for _ in 0..<5 {
                // Told without having sent anything.
                let refused = try fixture.connect()
                let response = try refused.readResponse()
                #expect(response.status == 503)
                #expect(response["connection"] == "close")
                #expect(try refused.isClosedByServer())
            }
            try served[0].send(get("/still"))
            #expect(try served[0].readResponse().status == 200)
            served.removeAll()
            try await eventually { fixture.server.connectionCount == 0 }
            #expect(try fixture.exchange(get("/a")).status == 200)
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

@Suite("The balance of connections")
struct ConnectionBalanceTests {
    @Test("keeps a connection where it came unless another loop has fewer")
    func preference() {
        let balance = ConnectionBalance(loops: 3, limit: 100)
        let places = [2, 2, 2, 2].map { loop(balance.add(preferring: $0)) }
        #expect(places == [2, 0, 1, 2])
        balance.remove(from: 1)
        #expect(loop(balance.add(preferring: 0)) == 1)
        #expect(balance.total == 4)
    }

    @Test("refuses past the limit, and drops far past it")
    func limits() {
        let balance = ConnectionBalance(loops: 1, limit: 2)
        var counts = (served: 0, refused: 0, dropped: 0)
        for _ in 0..<300 {
            switch balance.add(preferring: 0) {
            case .serve: counts.served += 1
            case .refuse: counts.refused += 1
            case .drop: counts.dropped += 1
            }
        }
        #expect(counts == (2, 256, 42))
        #expect(balance.total == 258)
    }

    private func loop(_ decision: ConnectionBalance.Decision) -> Int? {
        guard case .serve(let index) = decision else { return nil }
        return index
    }
}
