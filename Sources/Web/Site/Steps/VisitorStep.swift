import Endpoints
import FaveGames

/// Finds out who is signed in with the browser. Only pages know: the API accepts tokens only.
struct VisitorStep: Sendable {
    let languages: PageLanguages

    func recognise(_ context: inout IncomingRequest, _ services: Services) async throws {
        guard context.kind == .page else { return }
        context.visitor = try await services.visitor(context.request)
        let own = languages.language(
            of: context.request, account: context.visitor?.user.language)
        if let own { context.language = own }
    }
}
