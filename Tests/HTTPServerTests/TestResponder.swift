import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization
import TestSupport

/// What the responders of one server share. Any thread may use it.
final class ServerState: Sendable {
    let calls = Recorder<String>()
    let clients = Recorder<String>()
    let errors = Recorder<String>()
    private let gate = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>(
        (false, []))

    /// Lets all go that wait, and will.
    func openGate() {
        let waiting = gate.withLock { gate in
            defer { gate = (true, []) }
            return gate.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func waitAtGate() async {
        await withCheckedContinuation { continuation in
            let isOpen = gate.withLock { gate in
                if !gate.isOpen { gate.waiting.append(continuation) }
                return gate.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Responds by the first segment of the path; the second is its argument: how many turns of the loop
/// `slow` takes, for example.
struct TestResponder: Responder {
    let loop: EventLoop
    let state: ServerState

    func respondFromMemory(
        to request: Request, from client: ClientAddress, for recipient: any ResponseRecipient
    ) -> Recollection {
        guard request.target.segments.first == "now" else { return .nothing }
        state.calls.record(request.target.path)
        return .response(Response(body: Array(request.target.path.utf8)))
    }

    /// All senders are proxies that may name their client.
    func client(of request: Request, from sender: ClientAddress) -> ClientAddress {
        request.headerFields.first { $0.name.canonicalName == "x-forwarded-for" }.map(\.value)
            .flatMap { IPAddress($0) }
            .map { .internet($0) } ?? sender
    }

    func refusal(of head: Request, from client: ClientAddress) async -> Response? {
        state.calls.record("admit \(head.target.path)")
        await loop.turn()
        guard !head.contains(.authorization) else { return nil }
        return Response(status: .unauthorized, body: Array("who?".utf8))
    }

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        state.calls.record("\(request.method.rawValue) \(request.target.path)")
        state.clients.record(client.description)
        let segments = request.target.segments
        let number = segments.count > 1 ? Int(segments[1]) ?? 0 : 0
        switch segments.first {
        case "slow": for _ in 0..<number { await loop.turn() }
        case "gate": await state.waitAtGate()
        case "echo": return Response(body: request.body)
        case "big": return Response(body: [UInt8](repeating: 0x78, count: number))
        case "loop": return Response(body: Array("\(loop.name) \(loop.isCurrent)".utf8))
        case "close":
            return Response(headerFields: [.connection: "close"], body: Array("bye".utf8))
        case "status":
            return Response(status: HTTPResponse.Status(code: number), body: Array("no".utf8))
        default: break
        }
        return Response(body: Array("\(request.method.rawValue) \(request.target.path)".utf8))
    }

    func response(to error: ConnectionError) -> Response {
        state.errors.record(error.description)
        let status: HTTPResponse.Status =
            switch error {
            case .badRequest(let error): error.status
            case .inClearText: .badRequest
            case .requestTimeout: .requestTimeout
            case .tooManyConnections, .overloaded: .serviceUnavailable
            case .tooManyConnectionsOfOne: .tooManyRequests
            }
        return Response(
            status: status, headerFields: [.server: "test"], body: Array("sorry".utf8))
    }
}
