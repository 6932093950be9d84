import FaveGames
import HTTP
import HTTPTypes
import ShareCard
import Views

/// The picture of a list that is shown in previews of its link.
enum ListCard {
    /// The address of a card changes with its contents, so that the card may be kept for ever. An
    /// old address redirects to the current one.
    static let routes = [
        Route(
            .get, "/@{username}/card-{card}", .file, takes: .username, .card,
            answers: .response, caching: .immutable, handler: show)
    ]

    @Sendable private static func show(
        _ call: Call, username: Username, asked: String
    ) async throws -> Response {
        let store = call.services.store
        // The list as everyone sees it, even if its owner asks: any cache on the way may keep the
        // card.
        let found = try await store.list(username: username.description, seenBy: nil)
        guard let list = found else {
            throw try await call.moved(from: username) { Path.card($0, asked) }
        }
        let card = ShareCard(list)
        let path = Path.card(list.owner.username, card.digest)
        guard call.request.target.path == path else { return .temporaryRedirect(to: path) }
        let response = Response(
            headerFields: [
                .contentType: MediaType.png.description
            ], body: try await call.services.cards.png(of: card))
        return try response.conditional(for: call)
            .noIndex(unless: list.owner.visibility == .public)
    }
}

extension Input where Self == PathInput<String> {
    /// The digest of a card, in the name of its file.
    fileprivate static var card: Self {
        Self("card", "", .text(example: "0.png")) { file in
            file.hasSuffix(".png") && file.utf8.count <= 64 ? String(file.dropLast(4)) : nil
        }
    }
}
