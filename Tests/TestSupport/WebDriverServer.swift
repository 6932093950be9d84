import Foundation

/// A program on a port of the loopback that takes the commands of WebDriver by HTTP.
struct WebDriverServer: Sendable {
    let port: Int

    /// - Returns: The address of a new session.
    func begin(_ capabilities: [String: Any]) throws -> String {
        let response = try send(
            "POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        guard let id = (response as? [String: Any])?["sessionId"] as? String else {
            throw TestFailure("no session: \(response)")
        }
        return "/session/\(id)"
    }

    func send(
        _ command: WebDriverCommand, _ parameters: [String: Any], to session: String
    ) throws -> Any {
        var parameters = parameters
        var path = command.path
        if path.contains("{id}"), let id = parameters.removeValue(forKey: "id") as? String {
            path = path.replacing("{id}", with: id)
        }
        return try send(
            command.method, session + path, command.method == "POST" ? parameters : nil)
    }

    /// Whether it takes commands.
    var isReady: Bool {
        (try? send("GET", "/status", nil) as? [String: Any])?["ready"] as? Bool == true
    }

    /// Waits for what comes of it for at most twelve minutes.
    private func send(_ method: String, _ path: String, _ parameters: [String: Any]?) throws -> Any
    {
        let connection = try RawConnection(port: port, timeout: 720)
        let body = try parameters.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r\n
            """
        try connection.send(Array(head.utf8) + body)
        let response = try connection.readResponse()
        let value = try response.object["value"] ?? NSNull()
        guard response.status != 200 else { return value }
        let error = value as? [String: Any]
        throw WebDriverError(
            code: error?["error"] as? String ?? "status \(response.status)",
            message: error?["message"] as? String ?? response.text)
    }
}
