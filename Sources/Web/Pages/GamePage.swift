import FaveGames
import HTTP
import HTTPTypes
import Views

enum GamePage {
    /// What was typed into the form, and why it was rejected.
    struct Rejected: Sendable {
        let problem: Problem
        let platformID: Int?
        let comment: String
        /// Whether the list is full.
        let isFull: Bool
    }

    static let routes = [
        Route(
            .get, "/games/{game}", .page, takes: .cursor(InclusionCursor.self), .game,
            answers: .response
        ) { call, cursor, game in
            try await page(call, game, at: cursor).conditional(for: call)
        },
        Route(
            .post, "/games/{game}/add", .page, takes: .game, answers: .response, handler: add),
    ]

    /// Adds the game at the end of the visitor's list.
    @Sendable private static func add(_ call: Call, game: FoundGame) async throws -> Response {
        let visitor = try call.member(returnPath: Path.game(game.game.id))
        let form = try call.form()
        let platformID = GameID.parse(form["platform"] ?? "")
        let typed = form["comment"] ?? ""
        do {
            guard let platformID else {
                throw Problem(.unprocessableContent, "Choose the platform you played it on.")
            }
            let entry = DraftEntry(
                gameID: game.game.id, platformID: platformID, comment: try Comment(typed))
            let list = try await call.list(of: visitor, returnPath: Path.game(game.game.id))
            let changed = try await call.change(list) { try $0.adding(entry) }
            return .seeOther(Path.list(visitor.user.username) + "#\(changed.entries.count)")
        } catch let error where error is ListError || error is Problem {
            let problem = Problem(error, logger: call.logger)
            return try await page(
                call, game,
                Rejected(
                    problem: problem, platformID: platformID, comment: typed,
                    isFull: error as? ListError == .tooManyEntries))
        }
    }

    private static func addForm(
        _ call: Call, _ found: FoundGame, _ rejected: Rejected?
    ) -> AddForm? {
        guard call.visitor != nil, !found.platforms.isEmpty else { return nil }
        return AddForm(
            token: call.formToken().token, problem: rejected?.problem.detail,
            offersSwap: rejected?.isFull == true,
            platforms: Choice.platforms(found.platforms, chosen: rejected?.platformID),
            comment: rejected?.comment ?? "")
    }

    private static func page(
        _ call: Call, _ found: FoundGame, at cursor: InclusionCursor? = nil,
        _ rejected: Rejected? = nil
    ) async throws -> Response {
        let services = call.services
        async let standings = services.store.standings(game: found.game.id)
        async let inclusions = services.store.inclusions(
            game: found.game.id, platform: nil, limit: 30, at: cursor)
        let entries = try await inclusions
        let path = Path.game(found.game.id)
        var page = PageModel(
            found.game.name,
            description:
                "\(found.game.name): its rank on each platform and the people who love it.",
            path: path, section: .games, json: "/api/v1\(path)", context: call.context)
        page.isIndexed = cursor == nil
        page.beginsWithCover = found.game.coverImageID != nil
        page.image = PreviewImage(found.game)
        let content = HTML.game(
            found.game, standings: try await standings, add: addForm(call, found, rejected),
            signIn: page.signIn, entries: entries.entries,
            pager: Pager(
                path: path, next: await call.sealed(entries.next), isFirst: cursor == nil))
        guard let rejected else { return .page(page, content) }
        return .privatePage(page, content, problem: rejected.problem)
    }
}
