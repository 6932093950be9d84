import FaveGames

/// One field of a form as it is shown again: with what was typed, and what is wrong with it.
package struct FormField: Sendable {
    package var value: String
    package var error: String?

    package init(_ value: String? = nil, error: String? = nil) {
        self.value = value ?? ""
        self.error = error
    }
}

/// A choice in a form.
package struct Choice: Sendable {
    let value: String
    let text: String
    let isChosen: Bool

    package init(value: String, text: String, isChosen: Bool) {
        self.value = value
        self.text = text
        self.isChosen = isChosen
    }

    /// Platforms, as games name them.
    ///
    /// - Parameter chosen: The id of the one that is chosen, if one is.
    package static func platforms(_ platforms: [Platform], chosen: Int?) -> [Choice] {
        platforms.map {
            Choice(value: String($0.id), text: $0.name, isChosen: $0.id == chosen)
        }
    }

    /// All ratings, the best first.
    ///
    /// - Parameter value: Of the one that is chosen, as forms send it.
    package static func ratings(chosen value: String) -> [Choice] {
        Rating.range.reversed().compactMap(Rating.init).map { rating in
            Choice(
                value: String(rating.value), text: "\(rating.stars) \(rating.value) of 5",
                isChosen: value == String(rating.value))
        }
    }
}

/// What every form of a page carries besides its own fields.
package struct FormKeys: Sendable {
    /// Proves that the form comes from a page of this browser.
    let token: String
    /// Where to go afterwards, if that is not the form's own choice.
    let returnPath: String?

    package init(token: String, returnPath: String? = nil) {
        self.token = token
        self.returnPath = returnPath
    }
}

/// A link and its words, such as a provider to sign in with or a filter to remove.
package struct NamedLink: Sendable {
    let name: String
    let href: String

    package init(name: String, href: String) {
        self.name = name
        self.href = href
    }
}

/// The form that puts a game on the visitor's list.
package struct AddForm: Sendable {
    let token: String
    /// Why it was not taken.
    let problem: String?
    /// Whether room can be made for the game on the page that edits the list.
    let offersSwap: Bool
    /// Only those that the game is on.
    let platforms: [Choice]
    let comment: String

    package init(
        token: String, problem: String?, offersSwap: Bool, platforms: [Choice], comment: String
    ) {
        self.token = token
        self.problem = problem
        self.offersSwap = offersSwap
        self.platforms = platforms
        self.comment = comment
    }
}

/// The filters of everyone's entries.
package struct EntryFilters: Sendable {
    let search: String
    let tag: String
    let username: String
    let gameID: Int?
    let platforms: [Choice]
    let ratings: [Choice]
    /// Those that are on, with the address without each.
    let active: [NamedLink]

    package init(
        search: String, tag: String, username: String, gameID: Int?, platforms: [Choice],
        ratings: [Choice], active: [NamedLink]
    ) {
        self.search = search
        self.tag = tag
        self.username = username
        self.gameID = gameID
        self.platforms = platforms
        self.ratings = ratings
        self.active = active
    }
}
