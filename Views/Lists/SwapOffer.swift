import FaveGames

/// A game that the list has no room for, and the entries that it could replace.
package struct SwapOffer: Sendable {
    let name: GameTitle
    let places: [NamedAction]

    /// - Parameter places: In the order of the list.
    package init(name: GameTitle, places: [NamedAction]) {
        self.name = name
        self.places = places
    }
}
