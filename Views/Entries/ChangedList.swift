import FaveGames
import Foundation
import HTTP

/// Someone, with games that came onto their list on a day.
package struct ChangedList: Sendable {
    let person: Person
    /// When the latest of them came.
    let changedAt: Date
    /// In the order of the list.
    let entries: [FoundEntry]

    /// - Parameter entries: Of several people, the latest first.
    /// - Returns: Each person once for each day, those with the latest changes first.
    package static func lists(with entries: [FoundEntry]) -> [ChangedList] {
        struct Key: Hashable {
            let userID: UUID
            let day: Int
        }
        var places: [Key: Int] = [:]
        var groups: [[FoundEntry]] = []
        for entry in entries {
            let inclusion = entry.inclusion
            let key = Key(userID: inclusion.userID, day: inclusion.createdAt.daysSince1970)
            if let place = places[key] {
                groups[place].append(entry)
            } else {
                places[key] = groups.count
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
