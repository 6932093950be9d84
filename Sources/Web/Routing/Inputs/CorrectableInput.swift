import Endpoints

/// An input of a form. If something is wrong with it, the handler is told, so that it can show the form
/// again.
struct CorrectableInput<Wrapped: Input>: Input {
    fileprivate let wrapped: Wrapped

    /// - Returns: The input, or the fault of the client that made it impossible to read.
    func read(_ call: Call) async throws -> Result<Wrapped.Value, Problem> {
        do {
            return .success(try await wrapped.read(call))
        } catch let problem as Problem where problem.status.kind == .clientError {
            return .failure(problem)
        }
    }

    var description: InputDescription { wrapped.description }
}

extension Input {
    static func correctable<Wrapped>(_ wrapped: Wrapped) -> Self
    where Self == CorrectableInput<Wrapped> { Self(wrapped: wrapped) }
}
