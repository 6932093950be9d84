import Foundation
import Synchronization

/// A connection to Firefox's Marionette, which takes the commands of WebDriver as JSON, each with its
/// length in front.
final class Marionette: Sendable {
    private struct State: ~Copyable {
        let connection: RawConnection
        var number = 0
    }

    private let state: Mutex<State>

    init(port: Int) throws {
        let connection = try RawConnection(port: port, timeout: 720)
        _ = try Self.read(from: connection)  // what it is
        state = Mutex(State(connection: connection))
    }

    /// - Throws: `WebDriverError` if the response says that the command failed.
    func send(_ command: WebDriverCommand, _ parameters: [String: Any]) throws -> Any {
        let message = try state.withLock { state in
            state.number += 1
            let json = try JSONSerialization.data(
                withJSONObject: [0, state.number, command.name, parameters])
            try state.connection.send(Array("\(json.count):".utf8) + json)
            return try Self.read(from: state.connection)
        }
        let response = try JSONSerialization.jsonObject(with: message) as? [Any] ?? []
        guard response.count == 4 else { throw TestFailure("no response: \(response)") }
        if let error = response[2] as? [String: Any] {
            throw WebDriverError(
                code: error["error"] as? String ?? "", message: error["message"] as? String ?? "")
        }
        return (response[3] as? [String: Any])?["value"] ?? response[3]
    }

    private static func read(from connection: RawConnection) throws -> Data {
        let digits = try connection.read(upTo: UInt8(ascii: ":"))
        guard let length = Int(digits) else { throw TestFailure("no length: \(digits)") }
        return Data(try connection.read(count: length))
    }
}
