import JSON

/// How the stand-in behaves, as `POST /control` says in a JSON object. Every member may be left
/// out; what is said holds until something else is.
struct Orders {
    /// `delay`, `tokenDelay`: milliseconds before each response of the API, of the token endpoint.
    var delay = 0
    var tokenDelay = 0
    /// `hold`: whether the API's responses wait until this is `false` again.
    var holds = false
    /// `tokenLifetime`: seconds that a new token is said to be good for, and is.
    var tokenLifetime = 5_000_000
    /// `rate`, `maximumOpen`: requests in any one second, and at once.
    var rate = 4
    var maximumOpen = 8
    /// `next`: what befalls the next requests, in their order, added to what stands already.
    var misdeeds: [Misdeed] = []

    /// `{"do": …, "on": "api" or "token", "times": …, "status": …, "body": …}`.
    struct Misdeed {
        enum Kind: String {
            /// Responds with `status`, and `body` if there is one.
            case status
            /// Ends the connection in the middle of a response.
            case cut
            /// Ends the connection without a byte.
            case drop
            /// A response of 200 whose body is not JSON, or `body`.
            case malformed
            /// A response of 200 with `bytes` bytes of JSON.
            case oversize
            /// Never responds.
            case hang
            /// Refuses with 400 and repeats the whole request, its token or secret included.
            case echo
        }

        let kind: Kind
        let isOnToken: Bool
        var times: Int
        let status: Int
        let body: String?
        let bytes: Int

        init?(_ value: JSONValue) {
            guard case .object(let members) = value, case .string(let kind)? = members["do"],
                let kind = Kind(rawValue: kind)
            else { return nil }
            self.kind = kind
            isOnToken = members["on"] == .string("token")
            times = members.number("times") ?? 1
            status = members.number("status") ?? 500
            bytes = members.number("bytes") ?? 20 << 20
            if case .string(let text)? = members["body"] { body = text } else { body = nil }
        }
    }

    /// - Returns: `false` for what is no order.
    mutating func obey(_ value: JSONValue) -> Bool {
        guard case .object(let members) = value else { return false }
        delay = members.number("delay") ?? delay
        tokenDelay = members.number("tokenDelay") ?? tokenDelay
        if case .bool(let holds)? = members["hold"] { self.holds = holds }
        tokenLifetime = members.number("tokenLifetime") ?? tokenLifetime
        rate = members.number("rate") ?? rate
        maximumOpen = members.number("maximumOpen") ?? maximumOpen
        if case .array(let next)? = members["next"] {
            let new = next.compactMap(Misdeed.init)
            guard new.count == next.count else { return false }
            misdeeds += new
        }
        return true
    }

    /// What befalls a request that comes now.
    mutating func takeMisdeed(onToken: Bool) -> Misdeed? {
        guard let index = misdeeds.firstIndex(where: { $0.isOnToken == onToken }) else {
            return nil
        }
        misdeeds[index].times -= 1
        let misdeed = misdeeds[index]
        if misdeed.times <= 0 { misdeeds.remove(at: index) }
        return misdeed
    }
}

extension [String: JSONValue] {
    func number(_ name: String) -> Int? {
        if case .int(let number)? = self[name] { number } else { nil }
    }
}
