import HTTP
import HTTPTypes
import JSON
import Sockets

/// What becomes of a request.
enum Outcome {
    case response(Response)
    /// Some of a response, and the end of the connection.
    case cut
    /// The end of the connection.
    case drop
    case hang

    static func json(_ status: Int, _ value: JSONValue) -> Outcome {
        .response(response(HTTPResponse.Status(code: status), value))
    }

    static func text(_ status: Int, _ text: String) -> Outcome {
        .response(
            Response(
                status: HTTPResponse.Status(code: status),
                headerFields: [.contentType: "text/plain"], body: Array(text.utf8)))
    }

    static func response(_ status: HTTPResponse.Status, _ value: JSONValue) -> Response {
        Response(
            status: status, headerFields: [.contentType: "application/json"],
            body: Array(value.written.utf8))
    }
}

/// One client's connection. Not that of `HTTPServer`, which always responds, and whole. Confined to
/// its loop.
final class StandInConnection: ByteStreamDelegate {
    private let stream: ByteStream
    private unowned let standIn: StandIn
    private var parser = RequestParser()
    private var isBusy = false
    private var isHanging = false

    /// Called once for each request, with the status that was given; 0 if none was.
    var whenDone: ((Int) -> Void)?

    init(_ stream: ByteStream, of standIn: StandIn) {
        self.stream = stream
        self.standIn = standIn
        stream.delegate = self
    }

    func streamReceived(_ bytes: Span<UInt8>) -> Int {
        var consumed = 0
        while !isBusy {
            guard let (count, event) = try? parser.parse(bytes.extracting(consumed...)) else {
                close()
                return bytes.count
            }
            consumed += count
            switch event {
            case .request(let request):
                isBusy = true
                standIn.take(request, self)
            case .head(let expectsContinue):
                if expectsContinue { stream.write { $0 += "HTTP/1.1 100 Continue\r\n\r\n".utf8 } }
            case nil: if count == 0 || consumed == bytes.count { return consumed }
            }
        }
        return consumed
    }

    /// Does what becomes of the request that was taken last.
    func finish(_ outcome: Outcome) {
        guard isBusy, stream.isOpen else { return }
        switch outcome {
        case .response(let response):
            stream.write { output in
                ResponseSerializer.append(
                    response, to: &output, forHEAD: false, minorVersion: 1, keepsAlive: true,
                    date: Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8))
            }
            done(response.status.code)
            stream.resumeReading()
        case .cut:
            stream.write { $0 += "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n[{\"id\": 1".utf8 }
            stream.finishWriting()
            done(0)
        case .drop: close()
        case .hang: isHanging = true
        }
    }

    /// Ends what hangs.
    func release() {
        if isHanging { close() }
    }

    private func done(_ status: Int) {
        isBusy = false
        whenDone?(status)
        whenDone = nil
    }

    // MARK: The end

    func streamReachedEnd() { close() }
    func streamDrained() {}
    func streamIsInClearText() { close() }
    func streamFailed(_ error: SystemError) { close() }

    private func close() {
        done(0)
        stream.close()
        standIn.closed(self)
    }
}
