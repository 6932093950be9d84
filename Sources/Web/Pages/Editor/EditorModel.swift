import FaveGames
import HTTP

extension ListEditor {
    struct Model: Sendable {
        let page: PageModel
        let script: String
        let token: String
        let base: String
        let listHref: String?
        let isSaved: Bool
        /// Whether the page shows something else than what is stored.
        let isUnsaved: Bool
        /// Why it was not saved.
        let problem: String?
        let changes: [String]
        let hasChanges: Bool
        /// Where to sign in again, in another tab.
        let signInHref: String?
        let slots: [SlotModel]
        /// For the script: an entry that is yet to be filled in.
        let blank: SlotModel
        let isFull: Bool
        let search: String?
        let notFound: Bool
        let results: [ResultModel]
        let hasResults: Bool
        let offer: OfferModel?
        let canSave: Bool
    }

    struct SlotModel: Sendable {
        let key: String
        let number: Int
        let game: GameModel
        let gameID: String
        let isNew: Bool
        let isRemoved: Bool
        let isFirst: Bool
        let isLast: Bool
        let platforms: [OptionModel]
        let platformFault: String?
        let comment: FieldModel
        let ratings: [OptionModel]
        let ratingFault: String?
        let tags: FieldModel
    }

    struct ResultModel: Sendable {
        let game: GameModel
        let id: Int
        let kind: String?
        let platformNames: String?
    }

    /// A game for which there is no room: which one shall it stand in for?
    struct OfferModel: Sendable {
        let name: String
        let places: [PlaceModel]
    }

    struct PlaceModel: Sendable {
        let action: String
        let number: Int
        let name: String
    }
}

extension ListEditor.SlotModel {
    /// - Parameter number: Its place among those that are kept.
    init(
        _ slot: EditorDraft.Slot, _ found: FoundGame, number: Int, of count: Int,
        faults: EditorDraft.Faults?, isNew: Bool = false
    ) {
        self.isNew = isNew
        key = slot.key
        self.number = number
        game = GameModel(found.game)
        gameID = String(slot.gameID)
        isRemoved = slot.isRemoved
        isFirst = number == 1
        isLast = number == count
        platforms = found.platforms.map {
            OptionModel(
                value: String($0.id), text: $0.name, isChosen: $0.id == slot.platformID)
        }
        platformFault = faults?.platform
        comment = FieldModel(slot.comment, error: faults?.comment)
        ratings = OptionModel.ratings(chosen: slot.rating)
        ratingFault = faults?.rating
        tags = FieldModel(slot.tags, error: faults?.tags)
    }

    /// What the script copies for a game that somebody picks.
    static let blank = Self(
        EditorDraft.Slot(key: "new", gameID: 0),
        FoundGame(
            game: Game(id: 0, name: "", releaseYear: nil, coverImageID: nil), platforms: []),
        number: 0, of: 0, faults: nil)
}
