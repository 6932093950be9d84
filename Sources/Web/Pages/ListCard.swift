import HTTP
import HTTPTypes
import ShareCard
import Views

/// The picture of a list that previews of its link show.
enum ListCard {
    /// Its address changes with what is on it, so that it may be kept for ever; an old address leads
    /// to the one of today.
    static func show(_ call: Call) async throws -> Response {
        let asked = try call.path(.card)
        let username = try call.path(.username).description
        // As anybody sees it, even for the owner: it may be kept by whatever is on the way.
        guard let list = try await call.services.store.list(username: username, seenBy: nil) else {
            return try await call.redirectToSuccessor { Path.card($0, asked) }
        }
        let card = ShareCard(list)
        let path = Path.card(list.owner.username, card.digest)
        guard call.request.target.path == path else { return .temporaryRedirect(to: path) }
        let response = Response(
            headerFields: [
                .contentType: MediaType.png.description,
                .cacheControl: "public, max-age=31536000, immutable",
            ], body: try await call.services.cards.png(of: card))
        return try response.conditional(for: call)
            .noIndex(unless: list.owner.visibility == .public)
    }
}
