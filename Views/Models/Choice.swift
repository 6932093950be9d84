import FaveGames

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

    /// Choices of platforms.
    ///
    /// - Parameter chosen: The id of the chosen platform, if any.
    package static func platforms(_ platforms: [Platform], chosen: Int?) -> [Choice] {
        platforms.map {
            Choice(value: String($0.id), text: $0.shortName, isChosen: $0.id == chosen)
        }
    }

    /// All ratings, the best first.
    ///
    /// - Parameter value: The chosen rating, as forms send it.
    package static func ratings(chosen value: String) -> [Choice] {
        Rating.range.reversed().compactMap(Rating.init).map { rating in
            Choice(
                value: String(rating.value), text: "\(rating.stars) \(rating.value) of 5",
                isChosen: value == String(rating.value))
        }
    }
}
