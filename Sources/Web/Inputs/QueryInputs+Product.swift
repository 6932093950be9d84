import Endpoints
import FaveGames
import Foundation

extension Input where Value == [Int]? {
    /// Ids separated by commas.
    ///
    /// - Parameter mayHaveSpaces: Whether there may be spaces around each id.
    static func ids(
        _ name: String = "ids", mayHaveSpaces: Bool = false, example: String = "6,48"
    ) -> Self {
        let limit = Query.maximumIDs
        // Up to 1,999,999,999: an expression for the largest integer of 32 bits would be a long one.
        let id = "([1-9][0-9]{0,8}|1[0-9]{9})"
        return .query(
            name,
            """
            1 to \(limit) ids, separated by commas. Unknown ones are left out.
            """,
            .text(
                0...(limit * 11 - 1),
                pattern: "^\(id)(,\(id)){0,\(limit - 1)}$", example: example)
        ) { text throws(Problem) in try Query.ids(text, name, mayHaveSpaces: mayHaveSpaces) }
    }
}

extension Input where Value == String? {
    /// The path to return to after signing in, if it is a path of this site.
    static var returnPath: Self {
        .query("return", "", .text(example: "/")) { ReturnPath.parse($0) }
    }

    /// Where the form's browser goes next, if that is a path of this site.
    static var formReturnPath: Self { Self { ReturnPath.parse($0.sent?["return"]) } }
}

extension Input where Value == SearchText? {
    /// - Parameter text: Replaces the usual description.
    static func search(
        _ name: String = "search", _ text: String? = nil, example: String = "portal"
    ) -> Self {
        let limit = SearchText.limit
        return .query(
            name,
            text
                ?? """
                What to search for: 1 to \(limit) characters, with white space collapsed. A search \
                of only white space is ignored.
                """,
            .text(0...limit, example: example), surcharge: .search
        ) { text throws(Problem) in try Query.search(text, name) }
    }
}

extension Input where Value == SearchText {
    static var requiredSearch: Self {
        .query(
            "search", "Part of a name: 1 to \(SearchText.limit) characters.",
            .text(1...SearchText.limit, pattern: "\\S", example: "rob"), isRequired: true,
            surcharge: .search
        ) { text throws(Problem) in
            guard let search = try Query.search(text, "search") else {
                throw .invalidParameter("search", "Give \"search\".")
            }
            return search
        }
    }
}

extension Query {
    static let maximumIDs = 100

    /// - Throws: 400 if one of them is not a number, or there are too many.
    static func ids(
        _ text: String?, _ name: String, mayHaveSpaces: Bool
    ) throws(Problem) -> [Int]? {
        guard let text else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let spaces = mayHaveSpaces ? CharacterSet(charactersIn: " ") : CharacterSet()
        let ids = parts.compactMap { GameID.parse($0.trimmingCharacters(in: spaces)) }
        guard ids.count == parts.count, ids.count <= maximumIDs else {
            throw .invalidParameter(
                name, "must be 1 to \(maximumIDs) numbers separated by commas")
        }
        return ids
    }

    /// - Returns: `nil` if the text is empty or only white space.
    /// - Throws: 400 if it is too long.
    static func search(_ text: String?, _ name: String) throws(Problem) -> SearchText? {
        guard let text = filled(text) else { return nil }
        guard let search = SearchText(text) else {
            throw .invalidParameter(name, "must have 1 to \(SearchText.limit) characters")
        }
        return search
    }
}
