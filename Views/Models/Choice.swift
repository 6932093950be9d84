import FaveGames
import Languages

/// A choice in a form.
package struct Choice: Sendable {
    let value: String
    let text: Words
    let isChosen: Bool

    package init(value: String, text: Words, isChosen: Bool) {
        self.value = value
        self.text = text
        self.isChosen = isChosen
    }

    /// Choices of platforms.
    ///
    /// - Parameter chosen: The id of the chosen platform, if any.
    package static func platforms(_ platforms: [Platform], chosen: Int?) -> [Choice] {
        platforms.map {
            Choice(value: String($0.id), text: Words(name: $0.shortName), isChosen: $0.id == chosen)
        }
    }

    /// All ratings, the best first.
    ///
    /// - Parameter value: The chosen rating, as forms send it.
    package static func ratings(chosen value: String) -> [Choice] {
        Rating.range.reversed().compactMap(Rating.init).map { rating in
            Choice(
                value: String(rating.value), text: .rating(rating.value, stars: rating.stars),
                isChosen: value == String(rating.value))
        }
    }
}
