import TestSupport

extension TestServer {
    /// Sends requests in one go on one connection. Next to no time passes between them, so a limit
    /// gives nothing back meanwhile.
    func sendAtOnce(
        _ targets: [String], fields: (Int) -> [(String, String)] = { _ in [] }
    ) throws -> [RawResponse] {
        let connection = try RawConnection(port: port)
        let requests = targets.enumerated().map { number, target in
            let lines = [("Host", "fave.example")] + fields(number)
            return "GET \(target) HTTP/1.1\r\n"
                + lines.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        }
        try connection.send(requests.joined())
        return try targets.map { _ in try connection.readResponse() }
    }
}

/// What a limit lets through: what it allows at once, and what has come back since it was first used,
/// however long that is.
struct AllowedRequests {
    private let atOnce: Int
    private let perMinute: Int
    private let start = ContinuousClock.now

    /// Must be made before the first request.
    ///
    /// - Parameter perMinute: How many come back in a minute, if not as many.
    init(_ atOnce: Int, perMinute: Int? = nil) {
        self.atOnce = atOnce
        self.perMinute = perMinute ?? atOnce
    }

    /// Must be asked after the last request.
    func contains(_ count: Int) -> Bool {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        // One more, of which there was a part.
        return (atOnce...atOnce + 1 + Int(seconds * Double(perMinute) / 60)).contains(count)
    }
}
