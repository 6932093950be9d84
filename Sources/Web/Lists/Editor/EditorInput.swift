import Endpoints
import FaveGames
import HTTP

/// The form of the editor: the list with its entries, and the button that was pressed.
struct EditorForm: Sendable {
    let draft: EditorDraft
    /// The text in the search box.
    let search: String?
    let action: Action

    /// What the buttons ask for. The texts are keys of entries, and the numbers are games.
    enum Action: Sendable {
        case move(String, up: Bool)
        case remove(String)
        case restore(String)
        case add(Int)
        case swap(String, Int)
        case find, enter, save

        /// - Parameter text: The button's value: a word, and what it is about after colons.
        init?(_ text: String) {
            let parts = text.split(separator: ":").map(String.init)
            switch (parts.first, parts.dropFirst().first, parts.count) {
            case ("up", let key?, 2): self = .move(key, up: true)
            case ("down", let key?, 2): self = .move(key, up: false)
            case ("remove", let key?, 2): self = .remove(key)
            case ("restore", let key?, 2): self = .restore(key)
            case ("add", let game?, 2):
                guard let id = GameID.parse(game) else { return nil }
                self = .add(id)
            case ("swap", let key?, 3):
                guard let id = GameID.parse(parts[2]) else { return nil }
                self = .swap(key, id)
            case ("find", _, 1): self = .find
            case ("enter", _, 1): self = .enter
            case ("save", _, 1): self = .save
            default: return nil
            }
        }
    }
}

extension Input where Value == EditorForm {
    /// The form of the editor. 400 for a form that is not from our page.
    static var editor: Self {
        let description = InputDescription(
            body: .init(
                schema: .text(example: ""), isRequired: true, type: .formURLEncoded,
                fields: [
                    .written("comment"), .written("tags"),
                ]
                    + [
                        "base", "guest", "entry", "game", "removed", "platform", "rating", "search",
                        "do",
                    ].map { .chosen($0) }))
        return Self(description) { context in
            let items = context.sent?.items ?? FormItems()
            guard let action = EditorForm.Action(items["do"] ?? "save") else {
                throw EditorDraft.notOurs
            }
            return EditorForm(
                draft: try EditorDraft(items), search: items["search"], action: action)
        }
    }
}
