import FaveGames
import HTTP

enum GamePage {
    struct Model: Sendable {
        let page: PageModel
        let game: GameModel
        let igdbHref: String?
        let platforms: [Standing]
        /// The form that puts the game on one's list, for whoever is signed in.
        let add: AddModel?
        let entries: [EntryModel]
        let pager: PagerModel?
    }

    struct AddModel: Sendable {
        let action: String
        let token: String
        let problem: String?
        /// Where room can be made for it, if that is what it lacks.
        let swapHref: String?
        /// Only those that the game is on.
        let platforms: [OptionModel]
        let comment: FieldModel
    }

    /// What was typed into the form, and why it was not taken.
    struct Rejected: Sendable {
        let problem: Problem
        let platformID: Int?
        let comment: String
        /// Whether the list has no room.
        let isFull: Bool
    }

    struct Standing: Sendable {
        let platform: PlatformModel
        let href: String
        let rank: Int?
        let tied: Bool
        let count: CountModel
        let percent: Int

        init(_ standing: GameStanding, game: Game) {
            platform = PlatformModel(standing.platform)
            href = Path.platformGame(standing.platform, game.id)
            rank = standing.rank
            tied = standing.isTied
            count = CountModel(standing.includedBy)
            percent =
                standing.highestCount > 0
                ? standing.includedBy * 100 / standing.highestCount : 0
        }
    }

    static func show(_ call: Call) async throws -> Response {
        try await page(call, nil).conditional(for: call.request)
    }

    /// Puts the game on the visitor's list, last.
    static func add(_ call: Call) async throws -> Response {
        let game = try await call.game()
        let visitor = try call.member(returnPath: Path.game(game.game.id))
        let form = try call.form()
        let platformID = GameID.parse(form["platform"] ?? "")
        let typed = form["comment"] ?? ""
        do {
            guard let platformID else {
                throw Problem(.unprocessableContent, "Choose the platform that you played it on.")
            }
            let entry = DraftEntry(
                gameID: game.game.id, platformID: platformID, comment: try Comment(typed))
            let list = try await call.services.store.changeList(userID: visitor.user.id) { list in
                var draft = ListDraft(list)
                try draft.insert(entry, at: nil)
                return draft
            }
            let position = list?.entries.count ?? 1
            return .seeOther(Path.list(visitor.user.username) + "#\(position)")
        } catch let error where error is ListError || error is Problem {
            let problem = Problem(error, logger: call.logger)
            return try await page(
                call,
                Rejected(
                    problem: problem, platformID: platformID, comment: typed,
                    isFull: error as? ListError == .tooManyEntries))
        }
    }

    private static func addModel(
        _ call: Call, _ found: FoundGame, _ rejected: Rejected?
    ) -> AddModel? {
        guard call.visitor != nil, !found.platforms.isEmpty else { return nil }
        return AddModel(
            action: Path.game(found.game.id) + "/add", token: call.formToken().token,
            problem: rejected?.problem.detail,
            swapHref: rejected?.isFull == true ? "\(Path.editor)?add=\(found.game.id)" : nil,
            platforms: found.platforms.map {
                OptionModel(
                    value: String($0.id), text: $0.name, isChosen: $0.id == rejected?.platformID)
            },
            comment: FieldModel(rejected?.comment))
    }

    private static func page(_ call: Call, _ rejected: Rejected?) async throws -> Response {
        let services = call.services
        let cursor = try await call.cursor(InclusionCursor.self)
        let found = try await call.game()
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
        page.noindex = cursor != nil
        page.image = ImageModel(found.game)
        let model = Model(
            page: page, game: GameModel(found.game), igdbHref: nil,
            platforms: try await standings.map { Standing($0, game: found.game) },
            add: addModel(call, found, rejected),
            entries: entries.entries.map { EntryModel($0, showsPlatform: true) },
            pager: PagerModel(
                path: path, next: await call.sealed(entries.next), isFirst: cursor == nil))
        let html = services.views.render(.game, model)
        guard let rejected else { return .html(html) }
        return .privatePage(html, problem: rejected.problem)
    }
}
