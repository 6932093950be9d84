import FaveGames
import Foundation

/// Someone who is followed, with games that came onto their list.
package struct ChangedList: Sendable {
    let person: Person
    /// When the latest of them came.
    let changedAt: Date
    /// In the order of the list.
    let entries: [FoundEntry]

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
        return groups.map { group in
            let latest = group[0].inclusion
            return ChangedList(
                person: Person(latest), changedAt: latest.createdAt,
                entries: group.sorted { $0.inclusion.position < $1.inclusion.position })
        }
    }
}
