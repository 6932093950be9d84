import HTTPServer
import Sockets
import TestSupport
import Testing

@testable import HTTPClient

@Suite("The client, when things go wrong,", .blocking)
struct HTTPClientFailureTests {
    @Test("gives up when the time is over, and not before")
    func timeout() async throws {
        try await ClientFixture.run { fixture in
            let failures = Recorder<HTTPClientError.Code?>()
            let task = Task {
                failures.record(
                    try await fixture.failure(
                        of: ClientRequest(.get, fixture.base + "/never", timeout: .seconds(7200))))
            }
            try await eventually { fixture.state.requests.count == 1 }
            await fixture.clock.advance(by: .seconds(3600), on: fixture.loop)
            #expect(try await fixture.get("/a").status == .ok)
            #expect(failures.count == 0)
            await fixture.clock.advance(by: .seconds(3600), on: fixture.loop)
            try await value(of: task)
            #expect(failures.elements == [.timeout])
            #expect(try await fixture.get("/a").status == .ok)
        }
    }

    @Test("tells that nobody listens")
    func refused() async throws {
        let port = try UnusedPort()
        try await ClientFixture.run { fixture in
            let failure = try await fixture.failure(
                of: ClientRequest(.get, "http://127.0.0.1:\(port.number)/"))
            #expect(failure == .unreachable)
        }
    }

    @Test(
        "connects to no address that isn't allowed, however it is written",
        arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1"])
    func forbiddenAddresses(host: String) async throws {
        try await ClientFixture.run { fixture in
            let port = fixture.server.addresses[0].port ?? 0
            // A connection that is open already isn't used either.
            #expect(try await fixture.get("/a").status == .ok)
            let asked = Recorder<IPAddress>()
            var request = ClientRequest(.get, "http://\(host):\(port)/b")
            request.mayConnect = { address in
                asked.record(address)
                return address.isPublic
            }
            let refused = try await fixture.failure(of: request)
            #expect(refused == .forbiddenAddress)
            #expect(asked.count > 0 && asked.elements.allSatisfy(\.isLoopback))
            #expect(fixture.state.requests.count == 1)
            request.mayConnect = { $0.isLoopback }
            let failure = try await fixture.failure(of: request)
            #expect(failure == nil)
            #expect(fixture.state.requests.count == 2)
        }
    }

    @Test("cuts a response off if that is wanted, and keeps its status")
    func cutResponse() async throws {
        try await ClientFixture.run { fixture in
            var request = ClientRequest(
                .get, fixture.base + "/big/100000", maximumResponseBytes: 1000)
            let failure = try await fixture.failure(of: request)
            #expect(failure == .responseTooLarge)
            request.cutsResponse = true
            let response = try await fixture.send(request)
            #expect(response.status == .ok)
            #expect(response.body.count == 1000)
            #expect(try await fixture.get("/a").status == .ok)
        }
    }

    @Test("tells that a server speaks no TLS")
    func noTLS() async throws {
        try await RawServer.run("HTTP/1.1 200 OK\r\n\r\n") { server in
            try await ClientFixture.run { fixture in
                let url = "https" + server.url.dropFirst(4)
                let failure = try await fixture.failure(of: ClientRequest(.get, url))
                #expect(failure == .unreachable)
            }
        }
    }

    @Test(
        "tells that a response was cut off or is not HTTP",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n", "\0\u{1}\u{2}\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip at all",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        ])
    func badResponses(response: String) async throws {
        try await RawServer.run(response) { server in
            try await ClientFixture.run { fixture in
                let failure = try await fixture.failure(of: ClientRequest(.get, server.url))
                #expect(failure == .badResponse)
            }
        }
    }

    @Test("takes a response that ends with its connection, or comes after interim ones")
    func unusualResponses() async throws {
        try await RawServer.run("HTTP/1.1 200 OK\r\nA: \t b \t\r\n\r\nabc") { server in
            try await ClientFixture.run { fixture in
                let response = try await fixture.send(ClientRequest(.get, server.url))
                #expect(response.body == Array("abc".utf8))
                #expect(response.headerFields.map(\.value) == ["b"])
            }
        }
        let interim =
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await RawServer.run(interim) { server in
            try await ClientFixture.run { fixture in
                let response = try await fixture.send(ClientRequest(.get, server.url))
                #expect(response.status == .ok)
                #expect(response.headerFields.map(\.name.rawName) == ["Content-Length"])
            }
        }
    }

    @Test("ends a transfer when its task is cancelled")
    func cancellation() async throws {
        try await RawServer.run(nil) { server in
            try await ClientFixture.run { fixture in
                let task = Task(executorPreference: fixture.loop) {
                    try await fixture.client.send(
                        ClientRequest(.get, server.url, timeout: .seconds(7200)))
                }
                try await eventually { server.accepted.count == 1 }
                task.cancel()
                await #expect {
                    try await value(of: task)
                } throws: { error in
                    (error as? HTTPClientError)?.code == .cancelled
                }
                #expect(try await fixture.get("/a").status == .ok)
            }
        }
    }

    @Test("sends nothing for a task that was cancelled before, and forgives a late cancelling")
    func cancelledBefore() async throws {
        try await ClientFixture.run { fixture in
            let code = await Task(executorPreference: fixture.loop) { () -> HTTPClientError.Code? in
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(HTTPClientError) {
                    _ = try await fixture.client.send(ClientRequest(.get, fixture.base + "/a"))
                    return nil
                } catch {
                    return error.code
                }
            }.value
            #expect(code == .cancelled)
            #expect(fixture.state.requests.count == 0)
            // One that begins just then may have the memory of the one that was cancelled.
            for _ in 0..<50 {
                let results = try await onLoop(fixture.loop) {
                    let request = ClientRequest(.get, fixture.base + "/a")
                    let cancelled = Task(executorPreference: fixture.loop) {
                        withUnsafeCurrentTask { $0?.cancel() }
                        return try? await fixture.client.send(request).status
                    }
                    let other = Task(executorPreference: fixture.loop) {
                        try? await fixture.client.send(request).status
                    }
                    return (await cancelled.value, await other.value)
                }
                #expect(results == (nil, .ok))
            }
            // At any moment of the transfer, so each waits a little longer.
            for number in 0..<200 {
                let task = Task(executorPreference: fixture.loop) {
                    try await fixture.client.send(ClientRequest(.get, fixture.base + "/a"))
                }
                if number % 4 > 0 { try await Task.sleep(for: .microseconds(number * 10)) }
                task.cancel()
                switch await task.result {
                case .success(let response): #expect(response.status == .ok)
                case .failure(let error): #expect((error as? HTTPClientError)?.code == .cancelled)
                }
            }
            #expect(try await fixture.get("/a").status == .ok)
        }
    }

    @Test("fails what is pending when it is closed, and all that comes later")
    func close() async throws {
        try await RawServer.run(nil) { server in
            try await ClientFixture.run { fixture in
                let tasks = (0..<5).map { _ in
                    Task { try await fixture.failure(of: ClientRequest(.get, server.url)) }
                }
                try await eventually { server.accepted.count == 5 }
                await fixture.client.close()
                for task in tasks { #expect(try await task.value == .closed) }
                let late = try await fixture.failure(of: ClientRequest(.get, fixture.base + "/a"))
                #expect(late == .closed)
                await fixture.client.close()
            }
        }
    }

    @Test("can be dropped, closed or not, while its loop lives on")
    func dropped() async throws {
        try await ClientFixture.run { fixture in
            for isClosed in [true, false] {
                for _ in 0..<10 {
                    try await onLoop(fixture.loop) {
                        let client = HTTPClient(on: fixture.loop)
                        let url = fixture.base + "/a"
                        let response = try await client.send(ClientRequest(.get, url))
                        #expect(response.status == .ok)
                        if isClosed { await client.close() }
                    }
                }
            }
            // Past the time that the transfers had.
            await fixture.clock.advance(by: .seconds(60), on: fixture.loop)
            #expect(try await fixture.get("/a").status == .ok)
        }
    }

    @Test("does fifty requests at once on one loop, and uses their connections again")
    func concurrency() async throws {
        try await ClientFixture.run { fixture in
            for _ in 0..<4 {
                let bodies = try await onLoop(fixture.loop) {
                    try await withThrowingTaskGroup(of: (Int, String).self) { group in
                        for number in 0..<50 {
                            group.addTask {
                                let url = fixture.base + "/echo/\(number)"
                                let response = try await fixture.client.send(
                                    ClientRequest(.post, url, body: Array("\(number)".utf8)))
                                return (number, String(decoding: response.body, as: UTF8.self))
                            }
                        }
                        return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
                    }
                }
                #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, "\($0)") }))
            }
            #expect(fixture.state.requests.count == 200)
            // Were they not used again, there would be more, or none.
            #expect((1...50).contains(fixture.server.connectionCount))
        }
    }

    @Test("uses one connection for requests one after the other, and a new one when it has closed")
    func reuse() async throws {
        try await ClientFixture.run {
            $0.requestsPerConnection = 5
        } _: { fixture in
            for _ in 0..<20 {
                let response = try await fixture.get("/a")
                #expect(response.status == .ok)
                #expect(fixture.server.connectionCount <= 2)
            }
        }
        try await ClientFixture.run { fixture in
            for _ in 0..<3 {
                #expect(try await fixture.get("/a").status == .ok)
                await fixture.serverClock.advance(by: .seconds(60), on: fixture.serverLoop)
                try await eventually { fixture.server.connectionCount == 0 }
            }
        }
    }
}
