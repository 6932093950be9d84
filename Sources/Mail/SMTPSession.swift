import Encodings
import FaveGames
import Sockets
import Transfers

/// Hands a message over on a connection that libcurl has made. Confined to its loop.
///
/// libcurl could speak the whole protocol, but it blocks while it waits for the replies to the
/// message and to QUIT. That would block the loop for as long as the server takes to accept a
/// message. Before that point libcurl doesn't block.
final class SMTPSession: ReadinessHandler {
    private let easy: EasyHandle
    private let loop: EventLoop
    private var dialogue: SMTPDialogue
    private var output: ArraySlice<UInt8>
    private var registration: DescriptorRegistration?
    private var timer: LoopTimer?
    private var resumption = Resumption<Result<Void, SMTPError>>()
    private var outcome: Result<Void, SMTPError>?

    init(_ message: MailMessage, on easy: EasyHandle, _ loop: EventLoop) {
        self.easy = easy
        self.loop = loop
        dialogue = SMTPDialogue(message)
        output = ArraySlice(dialogue.opening)
    }

    /// - Parameter isolation: An actor that runs on the loop.
    func run(
        until deadline: MonotonicTime, isolation: isolated any Actor = #isolation
    ) async -> Result<Void, SMTPError> {
        // The compiler can't see that it is used only on the loop.
        nonisolated(unsafe) let session = self
        return await withTaskCancellationHandler {
            await Resumption.outcome { resumption in
                self.resumption = resumption
                if let outcome { return self.resumption.resume(returning: outcome) }
                guard !Task.isCancelled else { return end(.failure(SMTPError(.cancelled))) }
                start(until: deadline)
            }
        } onCancel: { [loop] in
            loop.execute { unsafe session.end(.failure(SMTPError(.cancelled))) }
        }
    }

    private func start(until deadline: MonotonicTime) {
        guard let socket = easy.connectedSocket else {
            return end(.failure(SMTPError(.interrupted, "the connection is gone")))
        }
        do throws(SystemError) {
            registration = try loop.register(
                socket, for: [.readable, .writable], trigger: .level, handler: self)
        } catch {
            return end(.failure(SMTPError(.interrupted, "\(error)")))
        }
        timer = loop.schedule(at: deadline) { [unowned self] in
            end(.failure(SMTPError(.timedOut, "no reply")))
        }
    }

    /// Ends the session, perhaps before it runs. Only the first outcome counts.
    func end(_ outcome: Result<Void, SMTPError>) {
        if self.outcome == nil { self.outcome = outcome }
        if let registration { loop.cancel(registration) }
        registration = nil
        timer?.cancel()
        resumption.resume(returning: outcome)
    }

    // MARK: Bytes

    func descriptorIsReady(_ readiness: Readiness) {
        // Both, because TLS may wait to read before it can write, and the reverse.
        read()
        write()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while registration != nil {
            var room = buffer.mutableSpan
            switch easy.receive(into: &room) {
            case .bytes(0): lost("the server closed the connection")
            case .bytes(let count): act(dialogue.received(buffer.span.part(0, count)))
            case .wouldBlock: return
            case .failed(let code): lost(easy.text(of: code))
            }
        }
    }

    private func act(_ action: SMTPDialogue.Action) {
        switch action {
        case .wait: break
        case .send(let bytes): output += bytes
        case .end(.success, _) where !output.isEmpty:
            lost("the reply came before the end of the message")
        case .end(let outcome, let goodbye):
            // Whether it arrives makes no difference, and its reply is not waited for.
            _ = easy.send(goodbye.span)
            end(outcome)
        }
    }

    private func write() {
        while let registration {
            guard !output.isEmpty else { return loop.update(registration, to: .readable) }
            switch easy.send(output.span) {
            case .bytes(let count): output = output.dropFirst(count)
            case .wouldBlock: return loop.update(registration, to: [.readable, .writable])
            case .failed(let code): lost(easy.text(of: code))
            }
        }
    }

    private func lost(_ why: String) { end(.failure(SMTPError(.interrupted, why))) }
}
