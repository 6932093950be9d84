import Foundation
import Testing

@testable import FaveGames

@Suite("A draft, whatever is done to it,")
struct ListDraftPropertyTests {
    /// What a list must be: the model that every operation is compared with.
    private struct Model {
        var picks: [Pick]

        var isValid: Bool { picks.count <= 5 && Set(picks).count == picks.count }
    }

    @Test(
        "has at most five entries, no game twice for a platform, and does what a plain array does")
    func randomOperations() throws {
        var generator = Numbers(seed: 2026)
        for _ in 0..<400 {
            let count = Int.random(in: 0...5, using: &generator)
            var draft = ListDraft(.ofGames(count))
            var model = Model(picks: draft.entries.map(\.pick))
            for _ in 0..<40 {
                try step(&draft, &model, &generator)
                try #require(draft.entries.map(\.pick) == model.picks)
                #expect(model.isValid)
                let ids = draft.entries.compactMap(\.id)
                #expect(Set(ids).count == ids.count)
            }
        }
    }

    private func step(_ draft: inout ListDraft, _ model: inout Model, _ numbers: inout Numbers)
        throws
    {
        let pick = Pick(
            game: Int.random(in: 1...7, using: &numbers),
            platform: [48, 6].randomElement(using: &numbers) ?? 48)
        let position = Int.random(in: -1...7, using: &numbers)
        let before = draft
        var wanted = model.picks
        var isPossible = true
        let outcome: Void?
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
            isPossible = (1...wanted.count + 1).contains(position)
            if isPossible { wanted.insert(pick, at: position - 1) }
            outcome = try? draft.insert(
                DraftEntry(gameID: pick.game, platformID: pick.platform), at: position)
        case 1:
            let id = UUID.number(Int.random(in: 1...6, using: &numbers))
            let index = before.entries.firstIndex { $0.id == id }
            isPossible = index != nil && (1...max(1, wanted.count)).contains(position)
            if isPossible, let index {
                wanted.remove(at: index)
                wanted.insert(pick, at: position - 1)
            }
            outcome = try? draft.change(id, position: position) { entry in
                entry.gameID = pick.game
                entry.platformID = pick.platform
            }
        default:
            let id = UUID.number(Int.random(in: 1...6, using: &numbers))
            let index = before.entries.firstIndex { $0.id == id }
            isPossible = index != nil
            if let index { wanted.remove(at: index) }
            outcome = try? draft.remove(id)
        }
        let shallSucceed = isPossible && Model(picks: wanted).isValid
        try #require((outcome != nil) == shallSucceed)
        if shallSucceed { model.picks = wanted } else { try #require(draft == before) }
    }
}
