import Actions
import Endpoints
import FaveGames
import GameSearch
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The page where people edit their own list. It is one form. All its buttons except the last only
/// change the form, which comes back with every field as it was typed.
enum ListEditor {
    static let routes = [
        Route(
            .get, Path.editor, .page,
            takes: .text("draft"), .importedPlaces, .platformToPlayOn,
            .first(.gameToAdd, else: .search()),
            returns: .response, caching: .never, crawling: .disallowed
        ) { context, draft, places, platform, wanted in
            if let sent = context.sent, let problem = sent.problem {
                return try await page(context, rejected(sent, problem, context))
            }
            var state = try await opened(context, withDraft: draft != nil)
            try await addImported(places, to: &state, context)
            switch wanted {
            case .preferred(let id) where state.draft.has(id, on: platform): break
            case .preferred(let id): try await add(id, on: platform, to: &state, context)
            case .other(let search?): try await find(search, &state, context)
            case .other(nil): break
            }
            return try await page(context, state)
        },
        Route(
            .post, Path.editor, .page, takes: .editor, returns: .response, handler: submit),
    ]

    /// - Parameter withDraft: Whether the list that the visitor began before signing in comes along.
    private static func opened(_ context: RequestContext, withDraft: Bool) async throws -> State {
        guard let visitor = context.visitor else { return State(EditorDraft()) }
        var state = State(
            EditorDraft(try await context.list(of: visitor, returnPath: Path.editor)))
        // Someone with an empty list may have come here by another way than the one we showed.
        guard withDraft || state.draft.slots.isEmpty, let guest = try await context.guestDraft()
        else {
            return state
        }
        let count = state.draft.slots.count
        state.draft.append(guest)
        state.hasDraft = state.draft.slots.count > count
        if state.draft.remaining.count > FaveList.limit {
            state.problem = Problem(
                .conflict,
                .tooManyWithDraft(count))
        }
        return state
    }

    /// The form as it was sent, and why nothing was done.
    private static func rejected(
        _ sent: SentForm, _ problem: Problem, _ context: RequestContext
    ) throws -> State {
        var state = State(try EditorDraft(sent.items))
        state.typed = sent["search"]
        state.problem = problem
        guard problem.status == .forbidden else { return state }
        state.problem = Problem(
            .forbidden,
            state.draft.base == nil && context.visitor == nil
                ? .editorExpired : context.visitor == nil ? .editorSignedOut : .editorSignedIn)
        return state
    }

    @Sendable private static func submit(
        _ context: RequestContext, form: EditorForm
    ) async throws -> Response {
        var state = State(form.draft)
        state.typed = form.search
        guard context.visitor != nil || state.draft.base == nil else {
            throw Problem(.forbidden, .youWereSignedOut)
        }
        switch form.action {
        case .move(let key, let up): state.draft.move(key, up: up)
        case .remove(let key): state.draft.remove(key)
        case .restore(let key):
            if !state.draft.restore(key) {
                state.problem = Problem(.conflict, ListError.tooManyEntries.words)
            }
        case .add(let id): try await add(id, to: &state, context)
        case .swap(let key, let id):
            guard let found = try await context.games.game(id) else { throw EditorDraft.notOurs }
            state.added = state.draft.swap(key, for: found)
            state.typed = nil
        case .find: try await find(&state, context)
        // Enter was pressed in the search box, and there is no script.
        case .enter where state.typed?.contains { !$0.isWhitespace } == true:
            try await find(&state, context)
        case .enter, .save: return try await save(state, context)
        }
        return try await page(context, state)
    }

    /// What the page shows.
    private struct State {
        var draft: EditorDraft
        /// Whether the draft contains entries that the visitor added before signing in.
        var hasDraft = false
        var problem: Problem?
        var faults: [String: EditorDraft.Faults] = [:]
        /// The stored list, if it has changed elsewhere since the page was opened.
        var current: FaveList?
        /// The key of the slot that was just added, to be filled in next.
        var added: String?
        var typed: String?
        var results: [FoundGame]?
        /// A game that was to be added while the list is full.
        var offered: FoundGame?

        init(_ draft: EditorDraft) { self.draft = draft }
    }

    // MARK: Adding

    private static func find(_ state: inout State, _ context: RequestContext) async throws {
        guard let typed = state.typed, let search = SearchText(typed) else {
            state.problem = Problem.badRequest(
                .typeName(SearchText.limit))
            return
        }
        do throws(Problem) {
            try context.allowance?.charge(.search)
        } catch {
            // The page is shown again, so that the typed fields aren't lost.
            state.problem = error
            return
        }
        try await find(search, &state, context)
    }

    private static func find(_ search: SearchText, _ state: inout State, _ context: RequestContext)
        async throws
    {
        state.typed = search.text
        state.results = try await context.games.games(
            matching: search, platform: nil, limit: 12
        ).games
    }

    private static func add(
        _ id: Int, on platform: Int? = nil, to state: inout State, _ context: RequestContext
    ) async throws {
        guard let found = try await context.games.game(id) else {
            state.problem = Problem(
                .unprocessableContent,
                .unknownGame(id))
            return
        }
        state.added = state.draft.add(found, on: platform)
        if state.added == nil {
            state.offered = found
        } else {
            state.typed = nil
        }
    }

    /// Adds games from the visitor's import.
    private static func addImported(
        _ places: [Int], to state: inout State, _ context: RequestContext
    ) async throws {
        guard let visitor = context.visitor, !places.isEmpty else { return }
        let rows = try await context.services.store.importRows(
            userID: visitor.user.id, places: places)
        let games = Dictionary(
            try await context.games.games(ids: rows.compactMap(\.game?.id)).map {
                ($0.game.id, $0)
            },
            uniquingKeysWith: { $1 })
        var left: [Words] = []
        for row in rows {
            guard let game = row.game.flatMap({ games[$0.id] }),
                !state.draft.has(game.game.id, on: row.platform?.id)
            else { continue }
            if let key = state.draft.add(row, game) {
                state.added = key
            } else {
                left.append(Words(game.game.name))
                if rows.count == 1 { state.offered = game }
            }
        }
        guard !left.isEmpty, state.offered == nil else { return }
        state.problem = Problem(
            .conflict,
            .notAdded(.list(left)))
    }

    // MARK: Saving

    private static func save(_ state: State, _ context: RequestContext) async throws -> Response {
        var state = state
        do {
            let wanted = try state.draft.entries()
            guard let visitor = context.visitor else {
                return try await storeGuestDraft(state, context)
            }
            let base = state.draft.base
            let list = try await context.list(of: visitor, returnPath: Path.editor)
            do {
                _ = try await context.lists.change(list, adding: wanted.map(\.gameID)) { list in
                    guard let base, base == ListFingerprint(list) else {
                        throw ListError.changedMeanwhile
                    }
                    return try ListDraft(wanted, replacing: list)
                }
            } catch let error as RefusedText {
                throw InvalidDraft(faults: state.draft.faults(of: wanted, error))
            }
            try await context.deleteGuestDraft()
            return .seeOther(Path.sharing(visitor.user.username) + "?saved")
        } catch let error as InvalidDraft {
            state.faults = error.faults
            let count = error.faults.values.reduce(0) { $0 + $1.all.count }
            state.problem = Problem(
                .unprocessableContent,
                .thingsToFix(count))
        } catch ListError.changedMeanwhile {
            guard let visitor = context.visitor else { throw SignInRequired(returnPath: nil) }
            state.current = try await context.list(of: visitor, returnPath: Path.editor)
            state.problem = Problem(
                .conflict,
                .listChangedElsewhere)
        } catch let error where error is ListError || error is UnresolvedGames {
            state.problem = Problem(error, logger: context.logger)
        }
        return try await page(context, state)
    }

    /// Stores the draft of a guest, and sends them to sign up, or in if they can’t.
    private static func storeGuestDraft(_ state: State, _ context: RequestContext) async throws
        -> Response
    {
        var state = state
        guard !state.draft.remaining.isEmpty else {
            state.problem = Problem(.unprocessableContent, .addGameFirst)
            return try await page(context, state)
        }
        do {
            try await context.storeGuestDraft(state.draft)
        } catch let problem as Problem {
            state.problem = problem
            return try await page(context, state)
        }
        return .seeOther(
            ReturnPath.appending(
                Path.guestDraft,
                to: context.signUpOffer == .open ? SignUpPage.path : SignInPage.path))
    }

    /// A placeholder for a game that can't be found at the moment, so that what was typed about it
    /// is not lost.
    private static func unknown(_ slot: EditorDraft.Slot) -> FoundGame {
        let platforms = slot.platformID.map {
            [Platform(id: $0, slug: "", name: "Platform \($0)", abbreviation: nil)]
        }
        return FoundGame(
            game: Game(
                id: slot.gameID, name: GameTitle("Game \(slot.gameID)"), releaseYear: nil,
                coverImageID: nil),
            platforms: platforms ?? [])
    }

    // MARK: The page

    /// The games of a draft, by id. Those on the visitor's list are found even if they are hidden.
    private static func games(
        of draft: EditorDraft, _ context: RequestContext
    ) async throws -> [Int: FoundGame] {
        let ids = draft.slots.map(\.gameID)
        var found = try await context.games.games(ids: ids)
        let missing = Set(ids).subtracting(found.map(\.game.id))
        if !missing.isEmpty, let visitor = context.visitor {
            found += try await context.services.store.games(
                ids: missing.sorted(), onListOf: visitor.user.id)
        }
        return Dictionary(found.map { ($0.game.id, $0) }, uniquingKeysWith: { $1 })
    }

    private static func page(_ context: RequestContext, _ state: State) async throws -> Response {
        let services = context.services
        var draft = state.draft
        let found = try await games(of: draft, context)
        var changes: [Words] = []
        if let current = state.current {
            changes = draft.base?.changes(to: current, names: found.mapValues(\.game.name)) ?? []
            // Saving again then overwrites the current list, as the message says.
            draft.base = ListFingerprint(current)
        }
        // If there is no platform to choose, the search gets the focus, for the next game. Once there
        // are five, it's the first reason that is missing.
        let added = state.problem == nil && state.offered == nil ? state.added : nil
        let needsPlatform = added.flatMap { draft[$0] }.map { $0.platformID == nil } ?? false
        let unexplained =
            added != nil && !needsPlatform && draft.isFull
            ? draft.remaining.first(where: \.comment.isEmpty)?.key : nil
        let hidden = try await context.hiddenComments(
            of: context.visitor, in: draft.slots.filter(\.comment.isEmpty).compactMap(\.entryID))
        let count = draft.remaining.count
        var number = 0
        let slots = draft.slots.map { slot in
            if !slot.isRemoved { number += 1 }
            return EditorSlot(
                slot, found[slot.gameID] ?? unknown(slot), number: number, of: count,
                faults: state.faults[slot.key], hidden: slot.entryID.flatMap { hidden[$0] },
                hasFocus: needsPlatform && slot.key == added, opensReason: slot.key == unexplained)
        }
        let isGuest = context.visitor == nil && draft.base == nil
        var page = PageModel(
            isGuest ? .yourFive : .editYourList,
            description: .aboutEditing, path: Path.editor,
            section: .editor, context: context.pageContext)
        page.isIndexed = false
        page.stylesheet = services.assets.path("editor.css")
        page.script = services.assets.path("editor.js")
        let (token, cookie) = context.formToken()
        let content = View.editor(
            FormKeys(token: token), base: draft.base?.text ?? "",
            listHref: context.visitor.map { Path.list($0.user.username) }, isGuest: isGuest,
            signUp: context.signUpOffer, hasDraft: state.hasDraft,
            isUnsaved: context.request.method == .post || state.added != nil
                || state.hasDraft,
            isResponse: context.request.method == .post, problem: state.problem?.words,
            faults: faults(state, slots), changes: changes,
            signInHref: context.visitor == nil && !isGuest
                ? ReturnPath.appending(Path.editor, to: "/sign-in") : nil,
            slots: slots, search: state.typed, results: state.results,
            offer: state.offered.map { SwapOffer($0, draft, found) },
            focusesSearch: added != nil && !needsPlatform && unexplained == nil,
            language: page.language, covers: page.covers
        )
        return .privatePage(page, content, problem: state.problem, setting: cookie)
    }
}

extension ListEditor {
    /// The faults of all entries, each with a link to its field.
    private static func faults(_ state: State, _ slots: [EditorSlot]) -> [NamedLink] {
        slots.flatMap { slot in
            (state.faults[slot.key]?.all ?? []).map { field, text in
                NamedLink(
                    name: .list(text, under: slot.title),
                    href: "#\(field)-\(slot.key)"
                )
            }
        }
    }
}

extension EditorSlot {
    /// - Parameter number: The slot's place among the remaining slots.
    fileprivate init(
        _ slot: EditorDraft.Slot, _ found: FoundGame, number: Int, of count: Int,
        faults: EditorDraft.Faults?, hidden: HiddenComment?, hasFocus: Bool, opensReason: Bool
    ) {
        self.init(
            key: slot.key, number: number, of: count, found: found,
            hasFocus: hasFocus, isRemoved: slot.isRemoved,
            platformID: slot.platformID,
            platformError: faults?.platform,
            comment: FormField(
                [slot.comment], error: faults?.comment, hasFocus: opensReason),
            rating: FormField(slot.rating, error: faults?.rating),
            tags: FormField(slot.tags, error: faults?.tags), hidden: hidden)
    }
}

extension SwapOffer {
    fileprivate init(_ offered: FoundGame, _ draft: EditorDraft, _ found: [Int: FoundGame]) {
        self.init(
            name: offered.game.name,
            places: draft.remaining.map { slot in
                NamedAction(
                    name: found[slot.gameID].map { Words($0.game.name) } ?? Words(name: ""),
                    action: "swap:\(slot.key):\(offered.game.id)")
            })
    }
}

extension Input where Value == [Int] {
    /// The places of games among the visitor's suggestions. Values that are no places are ignored.
    fileprivate static var importedPlaces: Self {
        Self { Array($0.query.values("row").compactMap(GameID.parse).prefix(50)) }
    }
}

extension Input where Value == Int? {
    /// A game that another page suggests. A value that is not an id is ignored.
    fileprivate static var gameToAdd: Self {
        .query("add", "", .igdbGame) { $0.flatMap(GameID.parse) }
    }

    /// The platform whose page led the visitor here.
    fileprivate static var platformToPlayOn: Self {
        .query("platform", "", .igdbGame) { $0.flatMap(GameID.parse) }
    }
}
