/// What goes into the state machine, and what comes out.
extension ConnectionState {
    /// The part of a message that the parser has begun to read.
    enum MessagePart {
        case none, header, body
    }

    struct Limits {
        /// The most requests of one connection.
        let requests: Int
        /// The most bytes to discard while lingering.
        let lingerBytes: Int
        /// How much of a body must arrive in the time for a body.
        let bodyBytesPerTimeout: Int
    }

    /// What to do after an event, in this order.
    struct Actions: OptionSet {
        let rawValue: UInt8

        static let sendContinue = Actions(rawValue: 1 << 0)
        /// Count the awaited body towards its client's share, and call `bodyIsCounted`. If there is
        /// no room, refuse the request.
        static let countBody = Actions(rawValue: 1 << 1)
        /// Ask the responder whether to read the body.
        static let askForAdmission = Actions(rawValue: 1 << 2)
        /// Cancel the responder's task.
        static let cancelTask = Actions(rawValue: 1 << 3)
        static let finishWriting = Actions(rawValue: 1 << 4)
        /// Tell the server of the unsent output, and of `newWait`, if any.
        static let noteWait = Actions(rawValue: 1 << 5)
        static let close = Actions(rawValue: 1 << 6)
        /// Deliver the bytes that are held, and call `hasResumed`.
        static let resumeReading = Actions(rawValue: 1 << 7)
    }

    /// What to do next in a delivery.
    enum Step {
        case parse
        /// Nothing, and call `turnContinues` in the next turn.
        case awaitTurn
        case stop
    }

    /// What to do when a wait has lasted too long.
    enum Expiry {
        /// Wait for the same as long again: the client is slow, but not too slow.
        case waitAgain(Wait)
        case refuse(ConnectionError)
        case close
    }
}

extension ConnectionState.Limits {
    init(_ configuration: ServerConfiguration) {
        requests = configuration.requestsPerConnection
        lingerBytes = configuration.lingerBytes
        bodyBytesPerTimeout = configuration.bodyBytesPerTimeout
    }
}
