import Endpoints
import FaveGames
import Foundation
import HTTP
import Storage

// How lists that people keep are read and made, by the API and by pages.
extension Call {
    /// What a user has kept, the latest first; empty if the visitor may not see the user's list.
    func keptLists(of username: Username) async throws -> [KeptListSummary] {
        try await services.store.keptLists(
            username: username.description, seenBy: visitor?.user.id)?.lists ?? []
    }

    /// A list that a user has kept, if the visitor may see what the list is now.
    ///
    /// - Parameter address: Makes its address under another username.
    /// - Throws: `Moved` for a former username; 404.
    func keptList(
        of username: Username, _ slug: KeptListSlug, _ address: (String, String) -> String
    ) async throws -> KeptList {
        try await keptList(of: username, slug, seenBy: visitor?.user.id, address)
    }

    /// As above.
    ///
    /// - Parameter viewer: `nil` for what everyone sees.
    func keptList(
        of username: Username, _ slug: KeptListSlug, seenBy viewer: UUID?,
        _ address: (String, String) -> String
    ) async throws -> KeptList {
        let store = services.store
        let name = username.description
        if let kept = try await store.keptList(username: name, slug: slug, seenBy: viewer) {
            return kept
        }
        guard let successor = try await store.successor(ofUsername: name) else {
            throw Problem.noKeptList
        }
        throw Moved(path: address(successor, slug.description))
    }
}

extension KeptListTitle {
    /// What a list that is kept now is called if its owner doesn't choose a title.
    static var suggested: KeptListTitle {
        KeptListTitle(
            year: CivilDate(daysSince1970: Int(Date().timeIntervalSince1970) / 86_400).year)
    }
}

extension Problem {
    static let noKeptList = Problem.notFound("There is no such kept list.")
}
