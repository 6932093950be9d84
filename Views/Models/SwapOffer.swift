/// A game that the list has no room for, and the entries that it could replace.
package struct SwapOffer: Sendable {
    let name: String
    let places: [NamedAction]

    /// - Parameter places: In the order of the list.
    package init(name: String, places: [NamedAction]) {
        self.name = name
        self.places = places
    }
}

/// A button of a form.
package struct NamedAction: Sendable {
    let name: String
    let action: String

    package init(name: String, action: String) {
        self.name = name
        self.action = action
    }
}
