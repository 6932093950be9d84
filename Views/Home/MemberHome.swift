import FaveGames
import Foundation
import HTTP
import Languages

/// What someone who is signed in sees of their own on the home page.
package struct MemberHome: Sendable {
    let own: Person
    let owner: User
    let entries: [Entry]
    let news: News
    /// The first ones by name.
    let circles: [OwnCircle]
    /// The snapshot of the year that has just ended.
    let review: SnapshotSummary?

    private static let circlesShown = 8

    package init(_ list: FaveList, news: News, circles: [OwnCircle], review: SnapshotSummary?) {
        own = Person(list.owner)
        owner = list.owner
        entries = list.entries
        self.news = news
        self.review = review
        self.circles = Array(circles.prefix(Self.circlesShown))
    }

    var openPlaces: Range<Int> { entries.count + 1..<FaveList.limit + 1 }

    /// The label of the link that adds the next game; `nil` if the list is full.
    var nextGame: Words? {
        entries.count < FaveList.limit ? EditorSlot.searchLabels[entries.count] : nil
    }

    var hasNews: Bool { !news.items.isEmpty || news.numberOne != nil }

    var isSinceToday: Bool { news.since.daysSince1970 == Date().daysSince1970 }
}

extension HTML {
    /// Writes the names of games as a sentence lists them.
    static func names(of games: [Game], to html: inout HTML) {
        for (index, game) in games.enumerated() {
            if index > 0 { html.text(html.language.separator(isLast: index == games.count - 1)) }
            html.raw("<bdi>")
            html.text(game.name)
            html.raw("</bdi>")
        }
    }
}

extension Person {
    init(_ owner: News.ListOwner) {
        self.init(username: owner.username, displayName: owner.displayName)
    }
}
