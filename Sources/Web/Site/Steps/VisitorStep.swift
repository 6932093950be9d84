import Endpoints

/// Finds out who is signed in with the browser. Only pages know: the API accepts tokens only.
struct VisitorStep: Sendable {
    func recognise(_ context: inout IncomingRequest, _ services: Services) async throws {
        guard context.kind == .page else { return }
        context.visitor = try await services.visitor(context.request)
    }
}
