import FaveGames
import HTTP

/// Whose lists share most games with somebody's.
enum KindredPage {
    struct Model: Sendable {
        let page: PageModel
        let person: PersonModel
        let hasGames: Bool
        let kindred: [Kindred]
    }

    struct Kindred: Sendable {
        let card: CardModel
        let count: CountModel
        let shared: String
    }

    private static let limit = 24

    static func show(_ call: Call) async throws -> Response {
        guard let list = try await call.listOfPath() else {
            return try await call.redirectToSuccessor(Path.kindred)
        }
        let kindred = try await call.services.store.kindredLists(list, limit: limit)
        var page = PageModel(
            "Same taste as \(list.owner.displayName)",
            description: "Whose lists share games with that of \(list.owner.displayName).",
            path: Path.kindred(list.owner.username), section: .people, context: call.context)
        page.noindex = true
        let model = Model(
            page: page, person: PersonModel(list.owner), hasGames: !list.entries.isEmpty,
            kindred: kindred.map { kindred in
                Kindred(
                    card: CardModel(kindred.list), count: CountModel(kindred.shared.count),
                    shared: kindred.shared.map(\.name).joined(separator: ", "))
            })
        return try Response.html(call.services.views.render(.kindred, model))
            .conditional(for: call.request)
    }
}
