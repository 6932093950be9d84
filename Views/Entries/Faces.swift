import FaveGames
import Foundation

extension [Inclusion] {
    /// The first of each person's, since a game can be on a list for several platforms.
    var oncePerPerson: [Inclusion] {
        var people: Set<UUID> = []
        return filter { people.insert($0.userID).inserted }
    }
}
