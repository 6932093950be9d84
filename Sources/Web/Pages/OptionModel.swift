import FaveGames

/// A choice in a form.
struct OptionModel: Sendable {
    let value: String
    let text: String
    let isChosen: Bool
}

extension OptionModel {
    /// All ratings, the best first.
    ///
    /// - Parameter value: Of the one that is chosen, as forms send it.
    static func ratings(chosen value: String) -> [OptionModel] {
        Rating.range.reversed().compactMap(Rating.init).map { rating in
            OptionModel(
                value: String(rating.value),
                text: "\(RatingModel(rating).stars) \(rating.value) of 5",
                isChosen: value == String(rating.value))
        }
    }
}
