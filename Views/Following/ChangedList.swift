import FaveGames
import Foundation

/// Someone who is followed, with games that came onto their list.
package struct ChangedList: Sendable {
    let person: Person
    /// The latest first.
    let entries: [FoundEntry]

    var changedAt: Date { entries[0].inclusion.createdAt }

    /// - Parameter entries: Of several people, the latest first.
    /// - Returns: Each person once, those with the latest changes first.
    package static func lists(with entries: [FoundEntry]) -> [ChangedList] {
        var places: [UUID: Int] = [:]
        var groups: [[FoundEntry]] = []
        for entry in entries {
            if let place = places[entry.inclusion.userID] {
                groups[place].append(entry)
            } else {
                places[entry.inclusion.userID] = groups.count
                groups.append([entry])
            }
        }
        return groups.map { ChangedList(person: Person($0[0].inclusion), entries: $0) }
    }
}
